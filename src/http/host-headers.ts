import type { ServerResponse } from 'node:http';
import type { HeaderList } from '../exchange/handler.ts';

const ALLOWED_ORIGIN = 'access-control-allow-origin';

/**
 * The fields that say what caches, browsers and pages may do with a response: where the host application has decided
 * it, its decision stays.
 */
const DECIDED_BY_HOST: ReadonlySet<string> = new Set([
  'cache-control',
  'cross-origin-resource-policy',
  'x-content-type-options',
]);

/**
 * The header fields of a response of the API, next to those of the host application. `Vary` and `Link` have the members
 * of both. Fields that describe the content, such as `Content-Type` and `ETag`, are those of the API. Where the host
 * has allowed an origin, all CORS fields are the host's: two policies in one response would allow what neither does.
 */
export function withHostHeaders(
  headers: HeaderList,
  response: Pick<ServerResponse, 'getHeader' | 'getHeaderNames'>,
): HeaderList {
  if (response.getHeaderNames().length === 0) return headers;
  const merged: string[] = [];
  const hostAllowsOrigin = response.getHeader(ALLOWED_ORIGIN) !== undefined;
  for (let at = 0; at < headers.length; at += 2) {
    const [name = '', value = ''] = headers.slice(at, at + 2);
    const key = name.toLowerCase();
    const set = response.getHeader(name);
    if (hostAllowsOrigin && key.startsWith('access-control-')) continue;
    if (set === undefined) merged.push(name, value);
    else if (key === 'vary') merged.push(name, mergedVary(String(set), value));
    else if (key === 'link') merged.push(name, `${String(set)}, ${value}`);
    else if (!DECIDED_BY_HOST.has(key)) merged.push(name, value);
  }
  return merged;
}

/** The names of both, each once. `*` includes every other. */
function mergedVary(one: string, other: string): string {
  const members = new Map(
    [...one.split(/,\s*/), ...other.split(/,\s*/)].map((member) => [member.toLowerCase(), member] as const),
  );
  return members.has('*') ? '*' : [...members.values()].join(', ');
}
