import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { createMetrics } from '../../../src/observe/metrics/metrics.ts';
import { programFile, skipWithout } from '../../installed-programs.ts';
import { apiUnderTest } from '../../pipeline/support/api-under-test.ts';
import { create, LAMP, SHOP } from '../../pipeline/models/shop-model.ts';

/** The verdict of `promtool check metrics` on an exposition: its exit code and its complaints. */
function judge(text: string): readonly [status: number | null, complaints: string] {
  const { status, stderr } = spawnSync(programFile('promtool') ?? 'promtool', ['check', 'metrics'], { input: text });
  return [status, stderr.toString()];
}

describe('promtool', { skip: skipWithout('promtool') }, () => {
  it('[OPS-2b] finds nothing wrong with /metrics', async () => {
    const metrics = createMetrics();
    await using api = await apiUnderTest(SHOP, { metrics });
    const { id } = await create(api, 'products', LAMP);
    for (const send of [`GET /api/v1/products/${id}`, 'GET /nothing', 'GET /api/v1/notes?limit=x', 'FOO /'])
      await api.send({ send });
    metrics.observe({ kind: 'deprecated-contract', version: '1.0.0', caller: 'a', route: null, correlationId: 'c' });
    metrics.observe({ kind: 'delivery', result: 'succeeded', duration: 1, lag: 2 });
    const { text } = await api.send({ send: 'GET /metrics' });
    metrics.close();
    assert.deepEqual(judge(text), [0, '']);
  });

  it('[OPS-2b] does find what is wrong', () => {
    const [status, complaints] = judge('# TYPE a_seconds counter\na_seconds 1\n');
    assert.equal(status, 3);
    assert.match(complaints, /no help text/);
  });
});
