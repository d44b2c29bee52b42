import { setTimeout } from 'node:timers/promises';
import { writeExposition } from '../../observe/metrics/exposition.ts';
import { countedFamilies, mergeFamilies, type ProcessMetrics } from '../../observe/metrics/merge-families.ts';
import { family, type MetricFamily } from '../../observe/metrics/metric-family.ts';

/** Milliseconds that a worker has to report. */
const REPORT_TIMEOUT = 1_000;

/** A worker that reports what it has measured. */
export interface ReportingWorker {
  readonly report: () => Promise<readonly MetricFamily[]>;
  readonly exited: Promise<unknown>;
}

/** The state of one worker. */
interface KnownWorker {
  readonly slot: number;
  readonly worker: ReportingWorker;
  /** The last report. */
  last: readonly MetricFamily[];
}

/**
 * The metrics of all workers, as those of one process (OPS-2). The last counts of a worker stay in the sums after it
 * has ended, so that no counter decreases. Prometheus would take that for a restart, and count everything again. What
 * it counted after that is lost with it.
 */
export class AllMetrics {
  readonly #workers = new Set<KnownWorker>();
  readonly #timeout: number;
  #ended: readonly MetricFamily[] = [];
  #exits = 0;
  #collecting: Promise<string> | null = null;

  constructor(timeout = REPORT_TIMEOUT) {
    this.#timeout = timeout;
  }

  /** Adds a worker until it exits. */
  add(slot: number, worker: ReportingWorker): void {
    const known: KnownWorker = { slot, worker, last: [] };
    this.#workers.add(known);
    void worker.exited.then(() => this.#remove(known));
  }

  /** Asks all workers. Scrapes at the same time share their answers. */
  readonly text = (): Promise<string> => {
    this.#collecting ??= this.#collect().finally(() => (this.#collecting = null));
    return this.#collecting;
  };

  #remove(known: KnownWorker): void {
    this.#workers.delete(known);
    this.#exits += 1;
    this.#ended = mergeFamilies([ended(this.#ended), ended(countedFamilies(known.last))]);
  }

  async #collect(): Promise<string> {
    const workers = [...this.#workers];
    const answered = await Promise.all(workers.map((known) => this.#ask(known)));
    const reports = workers.map(({ slot, last }) => ({ worker: String(slot), families: last }));
    const up = family(
      { name: 'restwright_worker_up', help: 'Whether the worker has reported its metrics.', type: 'gauge' },
      workers.map(({ slot }, index) => [[['worker', String(slot)]], answered[index] === true ? 1 : 0]),
    );
    const exits = {
      name: 'restwright_worker_exits_total',
      help: 'Workers that have exited.',
      type: 'counter',
    } as const;
    return writeExposition([...mergeFamilies([...reports, ended(this.#ended)]), up, family(exits, this.#exits)]);
  }

  /** @returns whether it answered; where it did not, what it reported before is used */
  async #ask(known: KnownWorker): Promise<boolean> {
    const cancelled = new AbortController();
    const timeout = setTimeout(this.#timeout, null, { signal: cancelled.signal, ref: false }).catch(() => null);
    const report = await Promise.race([known.worker.report(), known.worker.exited.then(() => null), timeout]);
    cancelled.abort();
    if (report === null) return false;
    known.last = report;
    return true;
  }
}

/** Counts of workers that have ended belong to none. */
function ended(families: readonly MetricFamily[]): ProcessMetrics {
  return { worker: '', families };
}
