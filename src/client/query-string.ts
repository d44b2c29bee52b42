/** The parameters of a read, as programs write them. */
export interface QueryParts {
  readonly filter?: object | undefined;
  readonly any?: readonly object[] | undefined;
  readonly [parameter: string]: unknown;
}

/** The options of a call that are no parameters. */
const OPTIONS: ReadonlySet<string> = new Set(['filter', 'any', 'signal', 'timeout', 'headers']);

/**
 * The query string of a read, with its question mark; empty without parameters. Filters are written as `filter[path]`,
 * so that no field has the name of a parameter (QRY-1).
 */
export function queryString(query: QueryParts = {}): string {
  const pairs = [
    ...filterPairs(query.filter ?? {}, (path) => `filter[${path}]`),
    ...(query.any ?? []).flatMap((filter, index) => filterPairs(filter, (path) => `any[${index + 1}][${path}]`)),
    ...Object.entries(query).flatMap(([name, value]) =>
      OPTIONS.has(name) || value === undefined ? [] : [`${name}=${listed(value)}`],
    ),
  ];
  return pairs.length === 0 ? '' : `?${[...new Set(pairs)].join('&')}`;
}

function filterPairs(filter: object, nameOf: (path: string) => string): readonly string[] {
  return Object.entries(filter).flatMap(([path, value]: [string, unknown]) => {
    if (value === undefined) return [];
    const name = nameOf(encodeURIComponent(path));
    const operators: object = Array.isArray(value) ? { in: value } : isObject(value) ? value : { eq: value };
    return Object.entries(operators).flatMap(([operator, operand]) => {
      if (operand === undefined || (operator === 'nin' && isEmpty(operand))) return [];
      // One of no values: a list in a URL has at least one. No item is without an id.
      if (operator === 'in' && isEmpty(operand)) return [`${nameOf('id')}[exists]=false`];
      return [`${name}${operator === 'eq' ? '' : `[${operator}]`}=${listed(operand)}`];
    });
  });
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** The values of a list are separated by commas that are not encoded: an encoded one belongs to a value (URL-5). */
function listed(value: unknown): string {
  return Array.isArray(value) ? value.map(listed).join(',') : encodeURIComponent(String(value));
}
