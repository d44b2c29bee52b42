import type { ApiSchema } from '../schema/api-schema.ts';
import type { ConsoleConfig } from '../session/config.ts';
import type { Session } from '../session/session.ts';
import { parseMetrics } from './metric-text.ts';
import { readWithToken } from './read-server.ts';

/** A contract that the server serves. */
export interface ServedVersion {
  /** MAJOR.MINOR.PATCH. */
  readonly version: string;
  readonly isNewest: boolean;
  readonly deprecated: Date | null;
  readonly sunset: Date | null;
  /** The page about its end. */
  readonly page: string | null;
  /** Requests since the server started; null if the metrics do not say. */
  readonly requests: number | null;
}

/**
 * Reads the contracts that are served: the newest minor of each major, and others that the metrics name.
 *
 * @throws {Error} if the server does not answer, or refuses the caller
 */
export async function readVersions(
  config: ConsoleConfig,
  { version: newest }: ApiSchema,
  session: Session,
): Promise<readonly ServedVersion[]> {
  const counts = await countRequests(config, session);
  const major = Number.parseInt(newest, 10);
  const asked = new Set([
    ...Array.from({ length: Math.max(major, 1) }, (_, index) => String(major - index)),
    ...(counts?.keys() ?? []),
  ]);
  const found = new Map<string, ServedVersion>();
  for (const each of asked) {
    if (found.has(each)) continue;
    const response = await readWithToken(`${config.api}?api_version=${each}`, session, 'HEAD');
    const version = response.headers.get('API-Version');
    if (response.status === 401 || response.status === 403) throw new Error(`${config.api}: ${response.status}`);
    if (!response.ok || version === null) continue;
    found.set(version, describe(version, response.headers, newest, counts));
  }
  return [...found.values()].toSorted((a, b) => compareVersions(b.version, a.version));
}

function describe(
  version: string,
  headers: Headers,
  newest: string,
  counts: ReadonlyMap<string, number> | null,
): ServedVersion {
  const [, seconds] = /^@(\d+)$/.exec(headers.get('Deprecation') ?? '') ?? [];
  const sunset = headers.get('Sunset');
  const [, page] = /<([^>]+)>;\s*rel="deprecation"/.exec(headers.get('Link') ?? '') ?? [];
  return {
    version,
    isNewest: version === newest,
    deprecated: seconds === undefined ? null : new Date(Number(seconds) * 1_000),
    sunset: sunset === null ? null : new Date(sunset),
    page: page === undefined || !/^https?:/.test(page) ? null : page,
    requests: counts === null ? null : (counts.get(version) ?? 0),
  };
}

/** Counts the requests by version; null if the metrics are not served here, or not for this caller. */
async function countRequests(
  { metrics }: ConsoleConfig,
  session: Session,
): Promise<ReadonlyMap<string, number> | null> {
  const response = metrics === null ? null : await readWithToken(metrics, session);
  if (response === null || !response.ok) return null;
  const counts = new Map<string, number>();
  for (const { name, labels, value } of parseMetrics(await response.text())) {
    const version = labels.get('api_version');
    if (name !== 'http_server_request_duration_seconds_count' || version === undefined) continue;
    counts.set(version, (counts.get(version) ?? 0) + value);
  }
  return counts;
}

function compareVersions(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}
