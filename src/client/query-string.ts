/** The parameters of a read, as programs write them. */
export interface QueryParts {
  readonly filter?: object | undefined;
  readonly any?: readonly object[] | undefined;
  readonly [parameter: string]: unknown;
}

/** The options of a call that are no parameters. */
const OPTIONS: ReadonlySet<string> = new Set(['filter', 'any', 'signal', 'timeout', 'headers']);

/**
 * The query string of a read, with its question mark; empty without parameters. Filters are written as `filter[path]`, so that no field has the
 * name of a parameter (QRY-1).
 */
export function queryString(query: QueryParts = {}): string {
  const pairs = [
    ...filterPairs(query.filter ?? {}, (path) => `filter[${path}]`),
    ...(query.any ?? []).flatMap((filter, index) => filterPairs(filter, (path) => `any[${index + 1}][${path}]`)),
    ...Object.entries(query).flatMap(([name, value]) =>
      OPTIONS.has(name) || value === undefined ? [] : [`${name}=${listed(value)}`],
    ),
  ];
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

function filterPairs(filter: object, nameOf: (path: string) => string): readonly string[] {
  return Object.entries(filter).flatMap(([path, value]: [string, unknown]) => {
    const name = nameOf(encodeURIComponent(path));
    if (value === undefined) return [];
    if (Array.isArray(value)) return [`${name}[in]=${listed(value)}`];
    if (typeof value !== 'object' || value === null) return [`${name}=${listed(value)}`];
    return Object.entries(value).flatMap(([operator, operand]) =>
      operand === undefined ? [] : [`${name}[${operator}]=${listed(operand)}`],
    );
  });
}

/** The values of a list are separated by commas that are not encoded: an encoded one belongs to a value (URL-5). */
function listed(value: unknown): string {
  return Array.isArray(value) ? value.map(listed).join(',') : encodeURIComponent(String(value));
}
