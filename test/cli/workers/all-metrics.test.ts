import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AllMetrics } from '../../../src/cli/workers/all-metrics.ts';
import { family, type MetricFamily } from '../../../src/observe/metrics/metric-family.ts';

/** A worker that has counted so much. */
class FakeWorker {
  counted: number;
  answers = true;
  readonly #ended = Promise.withResolvers<void>();
  readonly exited = this.#ended.promise;
  reports = 0;

  constructor(counted: number) {
    this.counted = counted;
  }

  readonly report = (): Promise<readonly MetricFamily[]> => {
    this.reports += 1;
    const requests = family({ name: 'requests_total', help: 'Requests.', type: 'counter' }, this.counted);
    const memory = family({ name: 'memory_bytes', help: 'Memory.', type: 'gauge', merge: 'each' }, 7);
    return this.answers ? Promise.resolve([requests, memory]) : new Promise(() => undefined);
  };

  async end(): Promise<void> {
    this.#ended.resolve();
    await this.exited;
  }
}

describe('the metrics of all workers', () => {
  it('[OPS-2b] are one exposition: counts are added up, the memory of each has its worker', async () => {
    const all = new AllMetrics();
    all.add(0, new FakeWorker(2));
    all.add(1, new FakeWorker(3));
    const text = await all.text();
    assert.match(text, /^requests_total 5$/m);
    assert.match(text, /^memory_bytes\{worker="0"\} 7\nmemory_bytes\{worker="1"\} 7$/m);
    assert.match(text, /^restwright_worker_up\{worker="0"\} 1\nrestwright_worker_up\{worker="1"\} 1$/m);
  });

  it('[OPS-2b] keep what a worker had counted that was replaced', async () => {
    const all = new AllMetrics();
    const first = new FakeWorker(2);
    all.add(0, first);
    await all.text();
    await first.end();
    all.add(0, new FakeWorker(1));
    const text = await all.text();
    assert.match(text, /^requests_total 3$/m, 'no counter goes back');
    assert.match(text, /^memory_bytes\{worker="0"\} 7$/m);
    assert.match(text, /^restwright_worker_exits_total 1$/m);
    assert.match(await all.text(), /^requests_total 3$/m);
  });

  it('[OPS-2b] have the last report of a worker that does not answer', async () => {
    const all = new AllMetrics(10);
    const stuck = new FakeWorker(2);
    all.add(0, stuck);
    all.add(1, new FakeWorker(3));
    await all.text();
    stuck.answers = false;
    const text = await all.text();
    assert.match(text, /^requests_total 5$/m);
    assert.match(text, /^restwright_worker_up\{worker="0"\} 0$/m);
  });

  it('[OPS-2b] are collected once for scrapes at the same time', async () => {
    const all = new AllMetrics();
    const worker = new FakeWorker(2);
    all.add(0, worker);
    const [first, second] = await Promise.all([all.text(), all.text()]);
    assert.equal(first, second);
    assert.equal(worker.reports, 1);
  });
});
