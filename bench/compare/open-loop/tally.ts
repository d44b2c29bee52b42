import { percentile } from '../percentile.ts';

/** The results of the requests of a schedule. */
export interface LoadTally {
  /** 2xx responses. */
  readonly done: number;
  /** 503 responses, and those of them without `Retry-After`. */
  readonly refused: number;
  readonly withoutRetryAfter: number;
  /** Responses with another status. */
  readonly other: number;
  /** Requests whose connection could not be opened, or broke before the response was complete. */
  readonly broken: number;
  /** Requests without a response when the generator stopped waiting. */
  readonly unanswered: number;
  /** Requests that were due but found no free connection. */
  readonly unsent: number;
  /** Latency of each response in milliseconds, since the request was sent and since it was due. */
  readonly fromSending: Float64Array;
  readonly fromDue: Float64Array;
  /** Milliseconds from the start to the last response. */
  readonly elapsed: number;
  /** The largest delay of the generator's own timer, in milliseconds. */
  readonly late: number;
}

/** Milliseconds. */
export interface Latency {
  readonly median: number;
  readonly p99: number;
  readonly largest: number;
}

export function latency(values: Float64Array): Latency {
  const sorted = values.toSorted();
  return { median: percentile(sorted, 0.5), p99: percentile(sorted, 0.99), largest: percentile(sorted, 1) };
}

/** Combines the tallies of several generators. */
export function mergeTallies(tallies: readonly LoadTally[]): LoadTally {
  const sum = (of: (tally: LoadTally) => number): number => tallies.reduce((total, tally) => total + of(tally), 0);
  const all = (of: (tally: LoadTally) => Float64Array): Float64Array =>
    Float64Array.from(tallies.flatMap((tally) => [...of(tally)]));
  return {
    done: sum(({ done }) => done),
    refused: sum(({ refused }) => refused),
    withoutRetryAfter: sum(({ withoutRetryAfter }) => withoutRetryAfter),
    other: sum(({ other }) => other),
    broken: sum(({ broken }) => broken),
    unanswered: sum(({ unanswered }) => unanswered),
    unsent: sum(({ unsent }) => unsent),
    fromSending: all(({ fromSending }) => fromSending),
    fromDue: all(({ fromDue }) => fromDue),
    elapsed: Math.max(...tallies.map(({ elapsed }) => elapsed)),
    late: Math.max(...tallies.map(({ late }) => late)),
  };
}
