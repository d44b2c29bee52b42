import { readRetryAfter } from '../../../../src/client/retry-after.ts';
import { webPlatform } from '../../../../src/platform/web.ts';
import type { ApiCalls } from '../../api/calls.ts';
import { readJson } from '../../api/read-json.ts';

/** Milliseconds before a request is repeated that has failed without a response, or without a time to wait. */
const DELAY = 1_000;
/** Repetitions after failures that name no time to wait. */
const MAX_FAILURES = 4;

/** Requests of an export or an import: how they end, and how people hear of pauses. */
export interface PageOptions {
  readonly signal: AbortSignal;
  /** Called with the seconds until a limited request is repeated; null when it goes on. */
  readonly onWait: (seconds: number | null) => void;
}

/**
 * Reads a page in a format. It waits as long as the server wants, and repeats what failed temporarily.
 *
 * @param path below the version, with its query
 * @throws {ResponseError} for a response that is not 2xx
 * @throws {unknown} the reason of the signal
 */
export async function readPage(
  calls: ApiCalls,
  { path, accept }: { readonly path: string; readonly accept: string },
  { signal, onWait }: PageOptions,
): Promise<Response> {
  for (let failures = 0; ; ) {
    const response = await send(calls, path, { headers: { Accept: accept }, signal }, failures < MAX_FAILURES);
    if (response?.ok === true) return response;
    const limit = response === null ? null : findLimit(response);
    if (response !== null && limit === null) await readJson(response);
    if (limit === null) {
      await pause(DELAY * 2 ** failures, { signal, onWait: () => undefined });
      failures += 1;
    } else await pause(limit, { signal, onWait });
  }
}

/** The milliseconds after which a response wants the request again; null for another one. */
function findLimit({ status, headers }: Response): number | null {
  return status === 429 || status === 503 ? readRetryAfter(headers.get('Retry-After'), webPlatform.now()) : null;
}

/**
 * Waits, and says how long.
 *
 * @throws {unknown} the reason of the signal
 */
export async function pause(milliseconds: number, { signal, onWait }: PageOptions): Promise<void> {
  onWait(Math.ceil(milliseconds / 1_000));
  await webPlatform.wait(milliseconds, signal);
  signal.throwIfAborted();
  onWait(null);
}

/** The response; null if there was none, and the request may be repeated. */
async function send(calls: ApiCalls, path: string, init: RequestInit, mayFail: boolean): Promise<Response | null> {
  try {
    return await calls.send(path, init);
  } catch (error) {
    init.signal?.throwIfAborted();
    if (mayFail && error instanceof TypeError) return null;
    throw error;
  }
}
