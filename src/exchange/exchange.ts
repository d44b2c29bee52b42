import type { Coding } from '../conventions/media/content-coding.ts';
import type { OriginAccess } from '../conventions/headers/cors.ts';
import type { Trace } from '../conventions/headers/correlation.ts';
import type { Scheme } from '../conventions/headers/forwarded.ts';
import type { HeaderFields } from '../conventions/headers/header-fields.ts';
import type { HeaderList, RawRequest } from './handler.ts';
import type { StageRecorder } from './stage-recorder.ts';

/** The facts of any request, however malformed. */
export interface Exchange {
  readonly request: Pick<RawRequest, 'method' | 'target' | 'headers' | 'cors'> &
    Partial<Pick<RawRequest, 'body' | 'client'>>;
  readonly fields: HeaderFields;
  readonly correlationId: string;
  readonly trace: Trace;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** Monotonic milliseconds from an arbitrary start. */
  readonly startTick: number;
  /** Times its stages; null if they are not timed. */
  readonly stages: StageRecorder | null;
  /** Facts for the response and the log, filled in as they become known. */
  readonly note: ExchangeNote;
  /** True if the path names the version: then nothing depends on `API-Version` (NEG-3). */
  readonly versionInPath: boolean;
  /** The access that the page which sent it has to the response (OPS-3). */
  readonly origin: OriginAccess;
  /**
   * The coding that the client prefers: part of every ETag, whether or not the response is long enough to be compressed
   * (NEG-7).
   */
  readonly coding: Coding;
}

/** Facts that become known during an exchange, for its observation and for a response to its failure. */
export interface ExchangeNote {
  route: string | null;
  errorCode: string | null;
  variesByCaller: boolean;
  /** The rate limit that the request has taken from; null if there is none. */
  quota: { fields(): HeaderList } | null;
  /** That of the connection of the client, as trusted proxies report it. */
  scheme: Scheme;
  /** The contract of the request's version, once it is known. */
  contract: ServedContract | null;
}

/** The part of a contract that every response names (VER-4). */
export interface ServedContract {
  /** `1.4.2`. */
  readonly version: string;
  /** Header fields that announce the end of the contract. */
  readonly lifecycle: HeaderList;
}
