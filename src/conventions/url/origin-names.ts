/** The names of the paths that every API has at the origin, by route (OPS-1, OPS-2). The one list of them. */
export const ORIGIN_NAMES = {
  live: 'livez',
  ready: 'readyz',
  metrics: 'metrics',
  docs: 'docs',
  openapi: 'openapi.json',
  asyncapi: 'asyncapi.json',
  llms: 'llms.txt',
  console: 'console',
} as const;

/** The health checks, which orchestrators send directly to the process, bypassing proxies. */
const HEALTH_NAMES: ReadonlySet<string> = new Set([ORIGIN_NAMES.live, ORIGIN_NAMES.ready]);
const HEALTH_TARGETS: readonly string[] = [...HEALTH_NAMES].map((name) => `/${name}`);

/** True if the decoded segments of a path name a health check. */
export function isHealthPath([first = '', ...further]: readonly string[]): boolean {
  return further.length === 0 && HEALTH_NAMES.has(first);
}

/** True if a request target is that of a health check, which gets its response under overload, too (LIM-3). */
export function isHealthTarget(target: string): boolean {
  return HEALTH_TARGETS.some((path) => target === path || target.startsWith(`${path}?`));
}
