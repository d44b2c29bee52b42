import { isJsonObject, type Json, type JsonObject } from '../conventions/json/json.ts';
import type { QueryPair, QueryPairs } from '../conventions/url/query.ts';
import { type ComparisonOperator, OPERATORS } from '../model/operators.ts';
import { filterName, readFilterName } from '../plan/parameters.ts';
import { readMembers, readTextArgument } from './arguments.ts';

/** Rows of a page where the call says no number: each takes room in the memory of a model. */
const SMALL_PAGE = 10;

/** Writes the parameters of a page. @param most the default number of rows of the API */
export function writePageQuery(given: JsonObject, most: number): QueryPairs {
  const { limit, cursor } = given;
  return [
    ['limit', typeof limit === 'number' ? String(limit) : String(Math.min(SMALL_PAGE, most))],
    ...(typeof cursor === 'string' ? ([['after', cursor]] as const) : []),
    ...writeTexts(given, ['sort']),
    ...writeViewQuery(given),
    ...writeFilters(readMembers(given, 'filters')),
  ];
}

/** Writes the parameters that select the members of rows. */
export function writeViewQuery(given: JsonObject): QueryPairs {
  return writeTexts(given, ['fields', 'expand']);
}

function writeTexts(given: JsonObject, names: readonly string[]): readonly QueryPair[] {
  return names.flatMap((name): readonly QueryPair[] => {
    const text = readTextArgument(given, name);
    // Names of fields have no comma, which therefore stays readable in the URL.
    return text === null ? [] : [[name, text.split(',').map((each) => each.trim())]];
  });
}

/**
 * Writes filters as parameters: `{"price[gte]": 5}`, or by an object of operators or of members, `{"price": {"gte":
 * 5}}`. A list means any of its values, and null that the field is unset.
 */
function writeFilters(filters: JsonObject): readonly QueryPair[] {
  return Object.entries(filters).flatMap(([name, value]) => writeFilter(name, value));
}

function writeFilter(name: string, value: Json): readonly QueryPair[] {
  const { path, operator } = readFilterName(name) ?? { path: name, operator: null };
  // A group, and the search, are written as the API has them.
  const isWritten = operator === null && (name.startsWith('any[') || name === 'q');
  const parameter = (used: string | null): string => (isWritten ? name : filterName(path, used));
  if (isJsonObject(value) && operator === null && !isWritten)
    return Object.entries(value).flatMap(([member, inner]) =>
      writeFilter(isOperator(member) ? `${parameter(null)}[${member}]` : `${path}.${member}`, inner),
    );
  if (value === null && operator === null) return [[parameter('exists'), 'false']];
  if (Array.isArray(value)) {
    const items = value.map(writeScalar);
    return [[parameter(operator ?? (isWritten ? null : 'in')), items]];
  }
  return [[parameter(operator), writeScalar(value)]];
}

function writeScalar(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function isOperator(name: string): name is ComparisonOperator {
  return OPERATORS.some((each) => each === name);
}
