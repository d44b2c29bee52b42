import type { Json } from '../../conventions/json/json.ts';
import type { ComparisonOperator } from '../../model/operators.ts';
import { coerceText } from '../../model/values/coercion.ts';
import type { JsonPlace, PartCondition, PathCondition } from '../condition.ts';

/** A place in a field of any JSON. */
interface JsonTarget {
  readonly path: string;
  readonly members: readonly string[];
}

const TEXT = { kind: 'text', format: null } as const;
const NUMBER = { kind: 'number' } as const;
const BOOLEAN = { kind: 'boolean' } as const;

type ScalarType = JsonPlace['type'];

/**
 * The condition of a filter on any JSON (QRY-8). A text of a query has no type. For `eq`, `ne`, `in` and `nin` it is
 * the string, and the number or boolean that it writes. Orders compare numbers if it is a number, else strings. In
 * quotes it is the string alone. Other operators compare strings.
 */
export function readJsonFilter(
  target: JsonTarget,
  operator: Exclude<ComparisonOperator, 'exists'>,
  texts: readonly string[],
): PartCondition<unknown> {
  const [text = ''] = texts;
  switch (operator) {
    case 'eq':
    case 'in':
      return join(compareLists(target, 'in', texts), (each) => each.map((condition) => [condition]));
    case 'ne':
    case 'nin':
      return join(compareLists(target, 'nin', texts), (all) => [all]);
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte': {
      const number = readScalar(NUMBER, text);
      return number === null
        ? { ...at(target, TEXT), operator, value: unquoted(text) ?? text }
        : { ...at(target, NUMBER), operator, value: number };
    }
    case 'contains':
    case 'starts_with':
      return { ...at(target, TEXT), operator, value: text };
  }
}

/** The only condition, or alternatives of several. */
function join(
  conditions: readonly PathCondition[],
  group: (conditions: readonly PathCondition[]) => readonly (readonly PathCondition[])[],
): PartCondition<unknown> {
  const [only, another] = conditions;
  return only !== undefined && another === undefined ? only : { operator: 'any', alternatives: group(conditions) };
}

/** A condition for each type of which a list has values. */
function compareLists(target: JsonTarget, operator: 'in' | 'nin', texts: readonly string[]): readonly PathCondition[] {
  const listed: readonly (readonly [type: ScalarType, values: readonly Json[]])[] = [
    [TEXT, texts.map((text) => unquoted(text) ?? text)],
    [NUMBER, readScalars(NUMBER, texts)],
    [BOOLEAN, readScalars(BOOLEAN, texts)],
  ];
  return listed.flatMap(([type, values]) => (values.length === 0 ? [] : [{ ...at(target, type), operator, values }]));
}

function at({ path, members }: JsonTarget, type: ScalarType): Pick<PathCondition, 'path' | 'inside'> {
  return { path, inside: { members, type } };
}

function readScalars(type: ScalarType, texts: readonly string[]): readonly Json[] {
  return texts.map((text) => readScalar(type, text)).filter((value) => value !== null);
}

/** The number or boolean that a text writes; null for another text. */
function readScalar(type: ScalarType, text: string): Json {
  const coerced = coerceText(type, text);
  return coerced.kind === 'valid' ? coerced.value : null;
}

/** The string that a text has in quotes, as JSON; null for another text. */
function unquoted(text: string): string | null {
  if (!text.startsWith('"')) return null;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'string' ? value : null;
  } catch {
    return null;
  }
}
