import { percentile } from '../percentile.ts';

/** What became of the requests of a schedule. */
export interface LoadTally {
  /** Answers of 2xx. */
  readonly done: number;
  /** Answers of 503, and those of them without `Retry-After`. */
  readonly refused: number;
  readonly withoutRetryAfter: number;
  /** Answers of any other status. */
  readonly other: number;
  /** Requests whose connection broke before an answer was whole, or could not be opened. */
  readonly broken: number;
  /** Requests that had no answer when patience ended. */
  readonly unanswered: number;
  /** Requests that were due and found no free connection until the end. */
  readonly unsent: number;
  /** Milliseconds of each answer, from its sending and from the time at which it was due. */
  readonly fromSending: Float64Array;
  readonly fromDue: Float64Array;
  /** Milliseconds from the start to the last answer. */
  readonly elapsed: number;
  /** The longest time that the generator itself was late with its look at the schedule, in milliseconds. */
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

/** What several generators saw, as one. */
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
