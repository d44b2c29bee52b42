/** The pattern of patterns, as JSON Schema has it. */
export const EVENT_PATTERN = '^(?:\\*|[a-z][a-z0-9_]{0,100}\\.(?:\\*|[a-z_]{1,30}))$';

/** True if a pattern (`*`, `product.*`, `product.created`) matches a type. */
export function matchesType(pattern: string, type: string): boolean {
  return pattern === '*' || pattern === type || (pattern.endsWith('.*') && type.startsWith(pattern.slice(0, -1)));
}
