import { cut } from '../conventions/text/quoted.ts';
import { MAX_DETAILS, apiError } from '../conventions/errors.ts';
import { closestMatch } from '../conventions/text/closest-match.ts';
import type { QueryParameter } from '../conventions/url/query.ts';
import { memoize } from '../cache/memoize.ts';

/** The parsed name of a filter parameter: `price[gte]`, `filter[limit]`, `address.city`. */
interface FilterName {
  readonly path: string;
  /** null if the name has no operator: equality. */
  readonly operator: string | null;
}

const FILTER_NAME = /^(?:filter\[([^[\]]+)\]|([^[\]]+))(?:\[([^[\]]*)\])?$/;

/** Parses a parameter name as a filter; null if it does not have the form of one. */
export const readFilterName = memoize((name): FilterName | null => {
  const match = FILTER_NAME.exec(name);
  const path = match?.[1] ?? match?.[2];
  return match === null || path === undefined ? null : { path, operator: match[3] ?? null };
});

const GROUP_FILTER_NAME = /^any\[([^[\]]*)\]\[([^[\]]+)\](.*)$/s;

/** A filter that is a member of a group of alternatives. */
interface GroupFilterName {
  /** As written: a number, if it is valid. */
  readonly group: string;
  /** The name of the filter without its group: `price[lt]` of `any[2][price][lt]`. */
  readonly filter: string;
}

/** Parses a parameter name as a member of a group (QRY-1); null if it does not have the form of one. */
export function readGroupFilterName(name: string): GroupFilterName | null {
  if (!name.startsWith('any[')) return null;
  const [match, group = '', path = '', operator = ''] = GROUP_FILTER_NAME.exec(name) ?? [];
  return match === undefined ? null : { group, filter: `${path}${operator}` };
}

/** The name of a filter within a group. @param filter such as `price[lt]` */
export function groupFilterName(group: string, filter: string): string {
  const at = filter.includes('[') ? filter.indexOf('[') : filter.length;
  return `any[${group}][${filter.slice(0, at)}]${filter.slice(at)}`;
}

/** The filter that a parameter name is, whether in a group or not. */
export function filterWithoutGroup(name: string): FilterName | null {
  return readFilterName(readGroupFilterName(name)?.filter ?? name);
}

/** The parameters of a collection besides its filters; `q` only if the model lists fields to search. */
export const COLLECTION_PARAMETERS: readonly string[] = (
  'limit per_page page offset after last_id after_timestamp after_id start_time before ' +
  'q sort include_total fields expand api_version'
).split(' ');

/** Those of them that need the time of a row. */
export const TIME_PARAMETERS: ReadonlySet<string> = new Set('after_timestamp after_id start_time before'.split(' '));

/** The name of a filter on a path. A path that equals a parameter name is written as `filter[path]` (QRY-1). */
export function filterName(path: string, operator: string | null = null): string {
  const name = COLLECTION_PARAMETERS.includes(path) ? `filter[${path}]` : path;
  return operator === null ? name : `${name}[${operator}]`;
}

/** The query parameters of a route (QRY-5). */
export interface ParameterRule {
  readonly known: ReadonlySet<string>;
  /** True if a name that is not in `known` is a filter. Filters may be repeated. */
  isFilter(name: string): boolean;
  /** Names to suggest in errors, in addition to `known`. */
  readonly suggestions: Iterable<string>;
  /** The error of a name that is close to no known one; null if nothing more is known about it. */
  readonly hint?: (name: string) => string | null;
}

/** The parameters that every route has. */
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

/** True if a write is a dry run (MET-14). @throws {ApiError} REQUEST_PARAMETER_INVALID */
export function isDryRun(parameters: readonly QueryParameter[]): boolean {
  return readFlag(parameters.find(({ name }) => name === 'dry_run')) ?? false;
}

/** The value of a boolean parameter; null if it is absent. @throws {ApiError} REQUEST_PARAMETER_INVALID */
export function readFlag(parameter: QueryParameter | undefined): boolean | null {
  if (parameter === undefined) return null;
  const { name, value } = parameter;
  if (value === 'true' || value === 'false') return value === 'true';
  throw apiError('REQUEST_PARAMETER_INVALID', `Invalid ${name}: must be true or false.`, {
    details: [{ field: name, message: 'must be true or false' }],
  });
}

/**
 * Checks the parameters of a route. Unknown and repeated ones are errors, or ignored if the request is lenient (QRY-5).
 * A filter without an operator may be repeated: it matches any of its values.
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
    if (!rule.known.has(name) && filterWithoutGroup(name)?.operator === null) return true;
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
    const hint = rule.hint?.(name) ?? (near === null ? HINTS.get(name) : `; did you mean "${cut(near)}"?`);
    return { field: cut(name), message: `is not a known parameter${hint ?? ''}` };
  });
  const subject = unknown.length === 1 ? 'Unknown query parameter' : 'Unknown query parameters';
  const message = `${subject}; see details, or send "Prefer: handling=lenient".`;
  return apiError('REQUEST_PARAMETER_UNKNOWN', message, { details });
}

/** Hints for parameters that only some collections have. */
const HINTS: ReadonlyMap<string, string> = new Map([
  ['q', ': this collection has no search; declare search in the model'],
  ['any', '; write alternatives as any[1][field]=value&any[2][field]=value'],
]);

/**
 * The known name most similar to `name`; for a filter with an operator, with the most similar path. Members in brackets
 * are written with dots: `size[depth]` is `size.depth`.
 */
function nearestTo(name: string, names: readonly string[], suggestions: Iterable<string>): string | null {
  const member = readGroupFilterName(name);
  if (member !== null) {
    const near = nearestTo(member.filter, [...suggestions], suggestions);
    return near === null ? null : groupFilterName(member.group, near);
  }
  const dotted = dottedName(name, new Set(suggestions));
  if (dotted !== null) return dotted;
  const filter = readFilterName(name);
  if (filter === null || filter.path === name) return closestMatch(name, names);
  const path = closestMatch(filter.path, suggestions);
  // The path is right, and takes no operator.
  if (path === filter.path) return path;
  return path === null ? null : name.replace(filter.path, path);
}

const BRACKETED = /^([^[\]]+)((?:\[[^[\]]+\])+)$/;

/** The filter that `a[b]` or `a[b][gte]` means where `a.b` is a path: `a.b`, `a.b[gte]`; null if there is none. */
export function dottedName(name: string, paths: ReadonlySet<string>): string | null {
  const [, first = '', brackets = ''] = BRACKETED.exec(name) ?? [];
  const keys = brackets.slice(1, -1).split('][');
  const path = [first, ...keys].join('.');
  if (paths.has(path)) return path;
  const object = [first, ...keys.slice(0, -1)].join('.');
  return keys.length > 1 && paths.has(object) ? `${object}[${keys.at(-1) ?? ''}]` : null;
}

function repeatedParameters(names: readonly string[]): Error {
  return apiError('REQUEST_PARAMETER_DUPLICATED', 'Duplicate query parameter; send it once.', {
    details: names.map((name) => ({ field: cut(name), message: 'must be sent only once' })),
  });
}
