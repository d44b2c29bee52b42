import type { ClearableCache } from '../../cache/cache.ts';
import { family, type MetricFamily } from '../../observe/metrics/metric-family.ts';
import type { MetricSource } from '../../observe/metrics/metrics.ts';
import type { MaybePromise } from '../../platform/maybe-promise.ts';
import type { ActiveRequests } from './active-requests.ts';
import type { EventLog, ReplicaUsage, StoreUsage, WriteUsage, Writer } from '../../stores/store.ts';

/** The measured part of a store; no rows. */
interface MeasuredStore {
  readonly writes: Pick<Writer, 'pending'>;
  readonly events: Pick<EventLog, 'lastSequence'>;
  readonly ping: () => MaybePromise<void>;
  readonly usage?: () => StoreUsage;
  readonly replicaUsage?: () => ReplicaUsage;
  readonly writeUsage?: () => WriteUsage;
}

type MeasuredCache = Pick<ClearableCache, 'statistics'>;

/** The sources of metrics that have a value at any time. */
interface ApiMetricsOptions {
  readonly store: MeasuredStore;
  readonly active: ActiveRequests;
  /** By the value of the label `cache`. */
  readonly caches: Readonly<Record<string, MeasuredCache>>;
}

/** Reads the state of an API at a scrape: the requests in progress, the queues and the caches. */
export function apiMetrics({ store, active, caches }: ApiMetricsOptions): MetricSource {
  return async () => {
    const usage = store.usage?.() ?? null;
    const replicas = store.replicaUsage?.() ?? null;
    const families = await storeFamilies(store);
    // The last sequence is among them: to read it finds out which transactions have ended.
    const writes = store.writeUsage?.() ?? null;
    return [
      ...families,
      ...(writes === null ? [] : writeFamilies(writes)),
      ...(replicas === null ? [] : replicaFamilies(replicas)),
      ...(usage === null ? [] : [queuedReadsFamily(usage)]),
      activeFamily(active),
      ...cacheFamilies({ ...caches, ...(usage === null ? {} : { statements: { statistics: usage.statements } }) }),
    ];
  };
}

function activeFamily(active: ActiveRequests): MetricFamily {
  return family(
    {
      name: 'http_server_active_requests',
      help: 'Requests whose response has not begun, or is being streamed.',
      type: 'gauge',
    },
    active.entries().map(([method, count]) => [[['http_request_method', method]], count]),
  );
}

function queuedReadsFamily({ queuedReads }: StoreUsage): MetricFamily {
  return family(
    { name: 'restwright_store_queued_reads', help: 'Slow reads that wait for a thread.', type: 'gauge' },
    queuedReads,
  );
}

/** The metrics of replicas (OPS-2). */
export function replicaFamilies({ replicas, onReplicas, onPrimary }: ReplicaUsage): readonly MetricFamily[] {
  const reads = {
    name: 'restwright_store_reads_total',
    help: 'Reads that a replica may answer, by the server that did.',
    type: 'counter',
  } as const;
  const up = {
    name: 'restwright_replica_up',
    help: 'Whether a replica is read from.',
    type: 'gauge',
    merge: 'each',
  } as const;
  const lag = {
    name: 'restwright_replica_lag_seconds',
    help: 'Age of the last change that a replica has, while it lacks one.',
    type: 'gauge',
    merge: 'max',
  } as const;
  return [
    family(reads, [
      [[['place', 'replica']], onReplicas],
      [[['place', 'primary']], onPrimary],
    ]),
    family(
      up,
      replicas.map(({ name, isRead }) => [[['replica', name]], isRead ? 1 : 0]),
    ),
    family(
      lag,
      replicas.map((replica) => [[['replica', replica.name]], replica.lag]),
    ),
  ];
}

/** The metrics of transactions that overlap (OPS-2). */
export function writeFamilies({ commitsInFlight, horizonAge }: WriteUsage): readonly MetricFamily[] {
  const inFlight = {
    name: 'restwright_store_commits_in_flight',
    help: 'Transactions that write and are not ended.',
    type: 'gauge',
  } as const;
  const age = {
    name: 'restwright_log_horizon_age_seconds',
    help: 'Time for which readers of the log have waited for a transaction to end.',
    type: 'gauge',
    merge: 'max',
  } as const;
  return [family(inFlight, commitsInFlight), family(age, horizonAge)];
}

async function storeFamilies(store: MeasuredStore): Promise<readonly MetricFamily[]> {
  const pending = family(
    { name: 'restwright_store_pending_writes', help: 'Writes that wait for their transaction.', type: 'gauge' },
    store.writes.pending,
  );
  const up = {
    name: 'restwright_store_up',
    help: 'Whether the database can be used.',
    type: 'gauge',
    merge: 'each',
  } as const;
  try {
    await store.ping();
    return [pending, family(up, 1), await eventFamily(store)];
  } catch {
    return [pending, family(up, 0)];
  }
}

/** The one place that reads the event log for metrics. */
async function eventFamily({ events }: MeasuredStore): Promise<MetricFamily> {
  return family(
    {
      name: 'restwright_events_last_sequence',
      help: 'Sequence number of the last event.',
      type: 'gauge',
      merge: 'max',
    },
    await events.lastSequence(),
  );
}

function cacheFamilies(caches: ApiMetricsOptions['caches']): readonly MetricFamily[] {
  const entries = Object.entries(caches);
  const requests = {
    name: 'restwright_cache_requests_total',
    help: 'Look-ups in caches by their result.',
    type: 'counter',
  } as const;
  const evictions = {
    name: 'restwright_cache_evictions_total',
    help: 'Entries that made room for others.',
    type: 'counter',
  } as const;
  return [
    family(
      requests,
      entries.flatMap(([cache, { statistics }]) => [
        [
          [
            ['cache', cache],
            ['result', 'hit'],
          ],
          statistics.hits,
        ] as const,
        [
          [
            ['cache', cache],
            ['result', 'miss'],
          ],
          statistics.misses,
        ] as const,
      ]),
    ),
    family(
      evictions,
      entries.map(([cache, { statistics }]) => [[['cache', cache]], statistics.evictions]),
    ),
  ];
}
