import { MAX_DETAILS, apiError } from '../conventions/errors.ts';
import { closestMatch } from '../conventions/closest-match.ts';
import type { QueryParameter } from '../conventions/query.ts';
import { memoize } from '../cache/memoize.ts';

/** A filter parameter, taken apart: `price[gte]`, `filter[limit]`, `address.city`. */
export interface FilterName {
  readonly path: string;
  /** null where the name carries none: equality. */
  readonly operator: string | null;
}

const FILTER_NAME = /^(?:filter\[([^[\]]+)\]|([^[\]]+))(?:\[([^[\]]*)\])?$/;

/** Takes a parameter's name apart as a filter; null where it has not the form of one. */
export const readFilterName = memoize((name): FilterName | null => {
  const match = FILTER_NAME.exec(name);
  const path = match?.[1] ?? match?.[2];
  return match === null || path === undefined ? null : { path, operator: match[3] ?? null };
});

/** The parameters of a collection beside its filters; `q` only where the model lists fields to search. */
export const COLLECTION_PARAMETERS: readonly string[] = (
  'limit per_page page offset after last_id after_timestamp after_id start_time before ' +
  'q sort include_total fields expand api_version'
).split(' ');

/** The name of a filter on a path: a path that is named like a parameter stands in `filter[..]` (QRY-1). */
export function filterName(path: string, operator: string | null = null): string {
  const name = COLLECTION_PARAMETERS.includes(path) ? `filter[${path}]` : path;
  return operator === null ? name : `${name}[${operator}]`;
}

/** How a route's parameters are judged: which names it takes, which of them may be repeated (QRY-5). */
export interface ParameterRule {
  readonly known: ReadonlySet<string>;
  /** Whether a name outside `known` is a filter of this route. */
  isFilter(name: string): boolean;
  /** Names to suggest beside the known ones. */
  readonly suggestions: Iterable<string>;
}

/** No parameters but the ones that every route takes. */
export const commonParameterRule: ParameterRule = {
  known: new Set(['api_version']),
  isFilter: () => false,
  suggestions: [],
};

/** The parameters of a write. */
export const writeParameterRule: ParameterRule = {
  ...commonParameterRule,
  known: new Set([...commonParameterRule.known, 'dry_run']),
};

/** Whether a write is only tried (MET-14). @throws {ApiError} REQUEST_PARAMETER_INVALID */
export function isDryRun(parameters: readonly QueryParameter[]): boolean {
  return readFlag(parameters.find(({ name }) => name === 'dry_run')) ?? false;
}

/** A parameter that is true or false; null where it is not given. @throws {ApiError} REQUEST_PARAMETER_INVALID */
export function readFlag(parameter: QueryParameter | undefined): boolean | null {
  if (parameter === undefined) return null;
  const { name, value } = parameter;
  if (value === 'true' || value === 'false') return value === 'true';
  throw apiError('REQUEST_PARAMETER_INVALID', `Send ${name} as true or false.`, {
    details: [{ field: name, message: 'must be true or false' }],
  });
}

/**
 * The parameters that a route takes, unknown and repeated ones refused, or ignored where the caller is lenient (QRY-5).
 * A filter without operator may be repeated: any of its values.
 *
 * @throws {ApiError} REQUEST_PARAMETER_UNKNOWN, REQUEST_PARAMETER_DUPLICATED
 */
export function admitParameters(
  parameters: readonly QueryParameter[],
  rule: ParameterRule,
  lenient: boolean,
): readonly QueryParameter[] {
  const known = parameters.filter(({ name }) => rule.known.has(name) || rule.isFilter(name));
  if (known.length < parameters.length && !lenient) throw unknownParameters(parameters, known, rule);
  const seen = new Set<string>();
  const repeated = new Set<string>();
  const admitted = known.filter(({ name }) => {
    if (!seen.has(name)) return seen.add(name);
    if (!rule.known.has(name) && readFilterName(name)?.operator === null) return true;
    repeated.add(name);
    return false;
  });
  if (repeated.size > 0 && !lenient) throw repeatedParameters([...repeated]);
  return admitted;
}

function unknownParameters(
  all: readonly QueryParameter[],
  known: readonly QueryParameter[],
  rule: ParameterRule,
): Error {
  const unknown = [...new Set(all.filter((each) => !known.includes(each)).map(({ name }) => name))];
  const names = [...rule.known, ...rule.suggestions];
  const details = unknown.slice(0, MAX_DETAILS).map((name) => {
    const near = nearestTo(name, names, rule.suggestions);
    const hint = near === null ? (HINTS.get(name) ?? '') : `; did you mean "${near}"?`;
    return { field: name, message: `is not a known parameter${hint}` };
  });
  const subject = unknown.length === 1 ? 'A query parameter is' : 'Query parameters are';
  return apiError(
    'REQUEST_PARAMETER_UNKNOWN',
    `${subject} not known here; see details, or send "Prefer: handling=lenient".`,
    {
      details,
    },
  );
}

/** Why a parameter that other routes take is none here. */
const HINTS: ReadonlyMap<string, string> = new Map([['q', ': nothing here is searched; declare search in the model']]);

/** The name that was meant most likely; of a filter with an operator, the one on the property that was. */
function nearestTo(name: string, names: readonly string[], suggestions: Iterable<string>): string | null {
  const filter = readFilterName(name);
  if (filter === null || filter.path === name) return closestMatch(name, names);
  const path = closestMatch(filter.path, suggestions);
  return path === null ? null : name.replace(filter.path, path);
}

function repeatedParameters(names: readonly string[]): Error {
  return apiError('REQUEST_PARAMETER_DUPLICATED', 'A query parameter is given more than once; send it once.', {
    details: names.map((field) => ({ field, message: 'is given more than once' })),
  });
}
