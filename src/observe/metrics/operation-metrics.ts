import type { Observation } from '../observation.ts';
import { CounterFamily, HistogramFamily } from './instruments.ts';
import { family, type Label, type MetricFamily } from './metric-family.ts';

/** Seconds: a commit on a fast disk takes a millisecond. */
const COMMIT_DURATIONS: readonly number[] = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5,
];
/** Units in one transaction: at most 256. */
const GROUP_SIZES: readonly number[] = [1, 2, 4, 8, 16, 32, 64, 128, 256];
/** Seconds. */
const DELIVERY_DURATIONS: readonly number[] = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30];
/** Seconds from a write to the delivery of its event: retries take up to a day. */
const DELIVERY_LAGS: readonly number[] = [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60, 300, 1_800, 7_200, 28_800, 86_400];

/** The metrics besides those of requests: counts of observations (OPS-2). The values of its labels are constants. */
export class OperationMetrics {
  readonly #commits = new HistogramFamily(
    { name: 'restwright_store_commit_duration_seconds', help: 'Duration of transactions that write, with their sync.' },
    COMMIT_DURATIONS,
    [[]],
  );
  readonly #groups = new HistogramFamily(
    { name: 'restwright_store_commit_units', help: 'Writes that shared one transaction.' },
    GROUP_SIZES,
    [[]],
  );
  readonly #blocked = counters('restwright_store_busy_total', 'Commits that had to wait for another process.');
  readonly #unavailable = counters('restwright_store_unavailable_total', 'Requests that found no database.', 'reason', [
    'locked',
    'full',
    'io',
    'read-only',
    'corrupt',
    'lost',
  ]);
  readonly #stopped = counters(
    'restwright_store_reads_stopped_total',
    'Reads that exceeded the statement timeout, or found the queue of slow reads full.',
    'reason',
    ['timeout', 'queue'],
  );
  readonly #limited = counters(
    'restwright_rate_limited_total',
    'Refusals by rate limits, by the bucket that was empty.',
    'bucket',
    ['caller', 'address', 'failure'],
  );
  readonly #overloads = counters('restwright_overloads_total', 'How often an overload began.');
  readonly #internal = counters('restwright_internal_errors_total', 'Errors whose cause is in the log alone.');
  readonly #tokens = counters('restwright_tokens_rejected_total', 'Bearer tokens that were refused.');
  readonly #deprecated = new CounterFamily({
    name: 'restwright_deprecated_requests_total',
    help: 'Requests that spoke a deprecated version of the API.',
  });
  readonly #deliveries = new HistogramFamily(
    { name: 'restwright_delivery_duration_seconds', help: 'Duration of attempts to deliver events, by their result.' },
    DELIVERY_DURATIONS,
    ['succeeded', 'retry', 'dead'].map((result) => [['result', result]]),
  );
  readonly #lags = new HistogramFamily(
    { name: 'restwright_delivery_lag_seconds', help: 'Time from a write until its event was delivered.' },
    DELIVERY_LAGS,
    [[]],
  );
  readonly #removed = counters('restwright_events_removed_total', 'Old events that were removed from the log.');
  readonly #undelivered = counters(
    'restwright_events_undelivered_total',
    'Deliveries that were lost, because their events were removed before.',
  );
  #overloaded = false;

  record(observation: Observation): void {
    const { kind } = observation;
    if (kind === 'commit') this.#recordCommit(observation);
    if (kind === 'commit-blocked') this.#blocked.of([]).add();
    if (kind === 'store-unavailable') this.#unavailable.of([['reason', nameUnavailability(observation.error)]]).add();
    if (kind === 'read-stopped') this.#stopped.of([['reason', observation.reason]]).add();
    if (kind === 'rate-limited') this.#limited.of([['bucket', observation.bucket]]).add();
    if (kind === 'overload') this.#recordOverload(observation.overloaded);
    if (kind === 'error') this.#internal.of([]).add();
    if (kind === 'token-rejected') this.#tokens.of([]).add();
    if (kind === 'deprecated-contract') this.#deprecated.of([['api_version', observation.version]]).add();
    if (kind === 'delivery') this.#recordDelivery(observation);
    if (kind === 'events-removed') this.#removed.of([]).add(observation.count);
    if (kind === 'events-undelivered') this.#undelivered.of([]).add(observation.count);
  }

  #recordCommit({ duration, units }: Extract<Observation, { kind: 'commit' }>): void {
    this.#commits.of([]).record(duration / 1_000);
    this.#groups.of([]).record(units);
  }

  #recordOverload(overloaded: boolean): void {
    this.#overloaded = overloaded;
    if (overloaded) this.#overloads.of([]).add();
  }

  #recordDelivery({ result, duration, lag }: Extract<Observation, { kind: 'delivery' }>): void {
    this.#deliveries.of([['result', result]]).record(duration / 1_000);
    if (result === 'succeeded') this.#lags.of([]).record(lag / 1_000);
  }

  families(): readonly MetricFamily[] {
    const overloaded = {
      name: 'restwright_overloaded',
      help: 'Whether requests are refused now.',
      type: 'gauge',
    } as const;
    return [
      this.#commits.family(),
      this.#groups.family(),
      this.#blocked.family(),
      this.#unavailable.family(),
      this.#stopped.family(),
      this.#limited.family(),
      this.#overloads.family(),
      family({ ...overloaded, merge: 'each' }, this.#overloaded ? 1 : 0),
      this.#internal.family(),
      this.#tokens.family(),
      this.#deprecated.family(),
      this.#deliveries.family(),
      this.#lags.family(),
      this.#removed.family(),
      this.#undelivered.family(),
    ];
  }
}

/** Counters that are 0 from the start. @param label of those in `values`; without it there is one counter */
function counters(name: string, help: string, label?: string, values: readonly string[] = []): CounterFamily {
  const initial: readonly (readonly Label[])[] = label === undefined ? [[]] : values.map((value) => [[label, value]]);
  return new CounterFamily({ name, help }, initial);
}

/** Names the reason for which a database is unavailable, as the store reports it. */
function nameUnavailability(error: Error): string {
  return 'reason' in error && typeof error.reason === 'string' ? error.reason : 'unknown';
}
