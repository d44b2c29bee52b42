import { family, type MetricFamily } from '../observe/metrics/metric-family.ts';
import type { MetricSource } from '../observe/metrics/metrics.ts';
import type { Deliveries, EventLog } from '../stores/store.ts';

/** The parts of a store that know the progress of deliveries. */
interface EventMetricsStore {
  readonly events: Pick<EventLog, 'range'>;
  readonly deliveries: Pick<Deliveries, 'reader' | 'waiting'>;
}

/**
 * Counts the events of the log, the lag of each reader and its subscriptions that wait for a retry, at each scrape.
 *
 * @param readers by name
 */
export function eventMetrics({ events, deliveries }: EventMetricsStore, readers: readonly string[]): MetricSource {
  return async () => {
    const { removed, last } = await events.range();
    const states = await Promise.all(
      readers.map(async (name) => {
        const reader = await deliveries.reader(name);
        return { name, lag: last - (reader?.sequence ?? last), waiting: (await deliveries.waiting(name)).length };
      }),
    );
    return [
      family(
        { name: 'restwright_events_stored', help: 'Events in the log.', type: 'gauge', merge: 'max' },
        last - removed,
      ),
      gauge(
        'restwright_events_lag',
        'Events of the log that are not delivered to all subscriptions of a reader.',
        states.map(({ name, lag }) => [name, lag]),
      ),
      gauge(
        'restwright_subscriptions_waiting',
        'Subscriptions with deliveries that wait for a retry.',
        states.map(({ name, waiting }) => [name, waiting]),
      ),
    ];
  };
}

function gauge(
  name: string,
  help: string,
  values: readonly (readonly [reader: string, value: number])[],
): MetricFamily {
  return family(
    { name, help, type: 'gauge', merge: 'max' },
    values.map(([reader, value]) => [[['reader', reader]], value]),
  );
}
