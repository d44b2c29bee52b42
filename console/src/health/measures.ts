import { type MetricLine, parseMetrics } from './metric-text.ts';

/** The counters of a server at one time. */
export interface MetricSample {
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly requests: number;
  readonly errors: number;
  /** Requests by the upper bound of their duration in seconds, cumulative. */
  readonly durations: ReadonlyMap<number, number>;
  readonly logLag: number;
  readonly webhooksWaiting: number;
}

/** The measures between two samples. Null where nothing was measured. */
export interface Measures {
  readonly time: number;
  /** Per second. */
  readonly requests: number;
  readonly errors: number;
  /** Milliseconds that 99 of 100 requests do not exceed. */
  readonly p99: number | null;
  /** Events that some reader of the log has not delivered. */
  readonly logLag: number;
  readonly webhooksWaiting: number;
}

/** The names of what is measured, in the order of the page. */
export const MEASURE_NAMES = ['requests', 'errors', 'p99', 'logLag', 'webhooksWaiting'] as const;

export type MeasureName = (typeof MEASURE_NAMES)[number];

const DURATION = 'http_server_request_duration_seconds';

/** Reads the counters that the page shows. */
export function readSample(text: string, time: number): MetricSample {
  const lines = parseMetrics(text);
  const durations = new Map<number, number>();
  for (const { labels, value } of select(lines, `${DURATION}_bucket`)) {
    const bound = Number((labels.get('le') ?? '+Inf').replace('+Inf', 'Infinity'));
    durations.set(bound, (durations.get(bound) ?? 0) + value);
  }
  return {
    time,
    requests: sum(select(lines, `${DURATION}_count`)),
    errors: sum(select(lines, 'restwright_http_errors_total')),
    durations,
    logLag: Math.max(0, ...select(lines, 'restwright_events_lag').map(({ value }) => value)),
    webhooksWaiting: sum(select(lines, 'restwright_subscriptions_waiting')),
  };
}

function select(lines: readonly MetricLine[], name: string): readonly MetricLine[] {
  return lines.filter((line) => line.name === name);
}

function sum(lines: readonly MetricLine[]): number {
  return lines.reduce((total, { value }) => total + value, 0);
}

/** Compares each sample with the one before it. Leaves out pairs between which the server started again. */
export function compareSamples(samples: readonly MetricSample[]): readonly Measures[] {
  return samples.slice(1).flatMap((sample, index) => {
    const before = samples[index];
    const isSameStart = before !== undefined && sample.requests >= before.requests && sample.errors >= before.errors;
    return isSameStart && sample.time > before.time ? [compare(before, sample)] : [];
  });
}

function compare(before: MetricSample, { time, requests, errors, durations, ...now }: MetricSample): Measures {
  const seconds = (time - before.time) / 1_000;
  const passed = [...durations].map(([bound, count]) => [bound, count - (before.durations.get(bound) ?? 0)] as const);
  return {
    time,
    requests: (requests - before.requests) / seconds,
    errors: (errors - before.errors) / seconds,
    p99: findPercentile(passed, 0.99),
    logLag: now.logLag,
    webhooksWaiting: now.webhooksWaiting,
  };
}

/** Interpolates a percentile in the bucket that has it, in milliseconds. The last bucket has no upper bound. */
function findPercentile(buckets: readonly (readonly [number, number])[], share: number): number | null {
  const sorted = buckets.toSorted(([a], [b]) => a - b);
  const wanted = (sorted.at(-1)?.[1] ?? 0) * share;
  if (wanted <= 0) return null;
  let [lower, below] = [0, 0];
  for (const [bound, count] of sorted) {
    if (count >= wanted) {
      const upper = Number.isFinite(bound) ? bound : lower;
      return (lower + ((upper - lower) * (wanted - below)) / (count - below)) * 1_000;
    }
    [lower, below] = [bound, count];
  }
  return null;
}
