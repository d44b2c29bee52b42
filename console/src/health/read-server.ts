import type { ConsoleConfig } from '../session/config.ts';
import type { Session } from '../session/session.ts';
import { type MetricSample, readSample } from './measures.ts';

/** A broker that events are sent to. */
export interface RelayState {
  readonly name: string;
  readonly state: string;
  readonly lag: number | null;
}

export interface Readiness {
  readonly isReady: boolean;
  /** The reason of a server that is not ready. */
  readonly reason: string | null;
  readonly relays: readonly RelayState[];
}

/** Reads if the server is ready. One that does not answer is not. */
export async function readReadiness({ ready }: ConsoleConfig): Promise<Readiness> {
  const response = await fetch(`${ready}?verbose`, { cache: 'no-store' });
  const body: { readonly relays?: readonly RelayState[]; readonly errorMessage?: string } = await response
    .json()
    .catch(() => ({}));
  return {
    isReady: response.ok,
    reason: response.ok ? null : (body.errorMessage ?? `${response.status}`),
    relays: body.relays ?? [],
  };
}

/** The result of reading the metrics: those who may not read them get none. */
export type MetricsResult = { readonly samples: readonly MetricSample[]; readonly isRefused: boolean };

/** The most samples that are kept. */
const MOST_SAMPLES = 61;

/**
 * Reads the metrics once, and adds them to the earlier ones.
 *
 * @throws {Error} if the server does not answer, or with an error
 */
export async function addSample(
  path: string,
  session: Session,
  earlier: readonly MetricSample[],
): Promise<MetricsResult> {
  const response = await readWithToken(path, session);
  if (response.status === 401 || response.status === 403) return { samples: [], isRefused: true };
  if (!response.ok) throw new Error(`metrics: ${response.status}`);
  const sample = readSample(await response.text(), Date.now());
  return { samples: [...earlier, sample].slice(-MOST_SAMPLES), isRefused: false };
}

/** Reads a path as the caller. A refusal does not ask to sign in: nothing here was typed. */
export function readWithToken(path: string, session: Session, method: 'GET' | 'HEAD' = 'GET'): Promise<Response> {
  const { token } = session.read();
  const headers: Readonly<Record<string, string>> = token === null ? {} : { Authorization: `Bearer ${token}` };
  return fetch(path, { method, headers, cache: 'no-store' });
}
