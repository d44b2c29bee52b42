import process from 'node:process';
import type { MaybePromise } from '../../platform/maybe-promise.ts';
import { measureUsage } from '../../platform/process/process-usage.ts';
import { programVersion } from '../../platform/process/program-version.ts';
import type { Observation, Observe } from '../observation.ts';
import { writeExposition } from './exposition.ts';
import { family, type MetricFamily } from './metric-family.ts';
import { OperationMetrics } from './operation-metrics.ts';
import { processFamilies } from './process-metrics.ts';
import { RequestMetrics } from './request-metrics.ts';

/**
 * Reads what has a value at any time, such as the length of a queue. What it throws is ignored: a scrape has the rest.
 */
export type MetricSource = () => MaybePromise<readonly MetricFamily[]>;

/**
 * The metrics of one API in one process (OPS-2).
 *
 * @example
 * ```ts
 * const metrics: Metrics = createMetrics();
 * response.end(await metrics.text());
 * ```
 */
export interface Metrics {
  /** Counts what is observed. */
  readonly observe: Observe;
  /** Adds a source, in place of an earlier one of the same name. */
  readonly setSource: (name: string, source: MetricSource) => void;
  /** All metrics, as data that another process can merge. */
  readonly families: () => Promise<readonly MetricFamily[]>;
  /** All metrics in the text format of Prometheus. */
  readonly text: () => Promise<string>;
  /** Ends the measurement of the event loop. */
  readonly close: () => void;
}

/**
 * Creates metrics for one API, as the option `metrics` of `startApi` and `createApi` takes them.
 *
 * @example
 * ```ts
 * const metrics = createMetrics();
 * const { api } = await startApi({ model, database: './notes.db', metrics, serveMetrics: true });
 * ```
 */
export function createMetrics(): Metrics {
  const requests = new RequestMetrics();
  const operations = new OperationMetrics();
  const usage = measureUsage();
  const sources = new Map<string, MetricSource>();
  const families = async (): Promise<readonly MetricFamily[]> => {
    const read = await Promise.all([...sources.values()].map(readSource));
    return [
      ...requests.families(),
      ...operations.families(),
      ...read.flat(),
      ...processFamilies(usage.read()),
      buildInfo(),
    ];
  };
  return {
    observe(observation: Observation) {
      if (observation.kind === 'request') requests.record(observation);
      else operations.record(observation);
    },
    setSource: (name, source) => void sources.set(name, source),
    families,
    text: async () => writeExposition(await families()),
    close: usage.close,
  };
}

/** @returns none where the source fails, such as that of a store that was closed */
async function readSource(source: MetricSource): Promise<readonly MetricFamily[]> {
  try {
    return await source();
  } catch {
    return [];
  }
}

function buildInfo(): MetricFamily {
  const description = { name: 'restwright_build_info', help: 'Versions of the program and of Node.js.' };
  return family({ ...description, type: 'gauge', merge: 'max' }, [
    [
      [
        ['version', programVersion()],
        ['nodejs_version', process.versions.node],
      ],
      1,
    ],
  ]);
}
