import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { AllMetrics } from '../../src/cli/workers/all-metrics.ts';
import { createMetrics, startApi, loadModel } from '../../src/index.ts';
import { eventMetrics } from '../../src/events/event-metrics.ts';
import { replicaFamilies, writeFamilies } from '../../src/pipeline/measure/api-metrics.ts';
import { dashboardQueries, MONITORING } from './dashboard.ts';

const NAME = /\b(?:http_server|restwright|process|nodejs|v8js)_[a-z0-9_]+/g;

/** The names of metrics in queries, without the suffixes of histograms. */
function namesIn(text: string): readonly string[] {
  const names = [...text.matchAll(NAME)].map(([name]) => name.replace(/_(?:bucket|sum|count)$/, ''));
  return [...new Set(names)].filter((name) => name !== 'nodejs_eventloop_state').sort();
}

/** The names that an API and the command of its workers expose. */
async function exposed(): Promise<ReadonlySet<string>> {
  const metrics = createMetrics();
  const { model } = loadModel({
    text: 'name: desk\nresources: { notes: { schema: { type: object, properties: {} } } }',
  });
  await using opened = await startApi({ model, database: ':memory:', observe: () => undefined, metrics });
  metrics.setSource('events', eventMetrics(opened.store, ['after']));
  const replicas = [{ name: 'replica:5432', isRead: true, lag: 0 }];
  metrics.setSource('replicas', async () => replicaFamilies({ replicas, onReplicas: 0, onPrimary: 0 }));
  metrics.setSource('writes', async () => writeFamilies({ commitsInFlight: 0, horizonAge: 0 }));
  metrics.observe({
    kind: 'request',
    method: 'GET',
    target: '/',
    route: '/',
    status: 404,
    errorCode: 'A',
    duration: 1,
    version: '1.0.0',
    requestSize: 1,
    responseSize: 1,
    correlationId: 'c',
    traceId: 't',
    parentId: null,
    sampled: true,
    traceState: null,
    scheme: 'http',
    stages: null,
  });
  metrics.observe({ kind: 'deprecated-contract', version: '1.0.0', caller: 'a', route: null, correlationId: 'c' });
  await opened.api.handle({ method: 'GET', target: '/', headers: [], body: null, httpVersion: '1.0', peer: '' });
  const all = new AllMetrics();
  all.add(0, { report: metrics.families, exited: new Promise(() => undefined) });
  const text = await all.text();
  metrics.close();
  return new Set([...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name = '']) => name));
}

describe('the examples for monitoring', () => {
  it('[OPS-2b] name metrics that there are', async () => {
    const known = await exposed();
    const queries = dashboardQueries('1m').map(({ query }) => query);
    const alerts = readFileSync(path.join(MONITORING, 'alerts.yml'), 'utf8');
    const named = namesIn([...queries, alerts].join('\n'));
    assert.ok(named.length > 30, 'the names were not found');
    assert.deepEqual(
      named.filter((name) => !known.has(name)),
      [],
    );
  });

  it('[OPS-2b] are explained in the guide, each metric once', async () => {
    const guide = readFileSync(path.join(MONITORING, '../../docs/guides/observing.md'), 'utf8');
    const listed = [...guide.matchAll(/^\| `((?:http_server|restwright|process|nodejs|v8js)_[a-z0-9_]+)` \|/gm)].map(
      ([, name = '']) => name,
    );
    assert.equal(new Set(listed).size, listed.length);
    assert.deepEqual(new Set(listed), await exposed());
  });
});
