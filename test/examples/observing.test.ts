import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Writable } from 'node:stream';
import { describe, it } from 'node:test';
import { pino } from 'pino';
import { pinoObserver } from '../../examples/embed/pino.ts';
import { createFetchHandler } from '../../src/http/fetch.ts';
import { loadModel, logEntry, type Observation, type Observe, startApi } from '../../src/index.ts';

const root = path.join(import.meta.dirname, '..', '..');
const guide = readFileSync(path.join(root, 'docs/guides/observing.md'), 'utf8');

/** Sends requests to an API with an observer. */
async function withRequests(observe: Observe, ...requests: readonly Request[]): Promise<void> {
  const resources = { notes: { schema: { type: 'object', properties: { text: { type: 'string' } } } } };
  const { model } = loadModel({ text: JSON.stringify({ name: 'desk', resources }) });
  await using opened = await startApi({ model, database: ':memory:', observe });
  const handle = createFetchHandler(opened.api);
  for (const request of requests) await (await handle(request)).text();
}

const at = (target: string, headers: Readonly<Record<string, string>> = {}): Request =>
  new Request(`http://localhost${target}`, { headers });

describe('the observer for pino', () => {
  it('writes each observation with its level, its members and the correlation id of the client', async () => {
    const lines: Record<string, unknown>[] = [];
    const stream = new Writable({
      write(chunk: Buffer, _encoding, done) {
        lines.push(JSON.parse(chunk.toString()));
        done();
      },
    });
    const observe = pinoObserver(pino(stream));
    await withRequests(observe, at('/api/v1/notes?limit=1', { 'X-Correlation-ID': 'mine' }));
    observe({ kind: 'error', correlationId: 'mine', error: new Error('broken', { cause: new Error('why') }) });
    const shown = lines.map(({ level, event }) => [level, event]);
    assert.deepEqual(shown, [
      [30, 'database_created'],
      [40, 'mounted_without_auth'],
      [30, 'request'],
      [50, 'error'],
    ]);
    const { method, path: target, route, status, correlation_id: correlationId } = lines[2] ?? {};
    assert.deepEqual(
      [method, target, route, status, correlationId],
      ['GET', '/api/v1/notes', '/api/notes', 200, 'mine'],
    );
    assert.match(JSON.stringify(lines[3]), /broken.*why/);
  });
});

type Kind = Observation['kind'];
type Samples<K extends Kind> = readonly [Extract<Observation, { kind: K }>, ...Extract<Observation, { kind: K }>[]];

/** Each observation, with samples for all events that the log has for it. The compiler reports one that is missing. */
const OBSERVATIONS: { readonly [K in Kind]: Samples<K> } = {
  request: [
    {
      kind: 'request',
      method: 'GET',
      target: '/api/v1/notes',
      route: null,
      status: 200,
      errorCode: null,
      duration: 1,
      correlationId: 'c',
      traceId: '0'.repeat(32),
      parentId: null,
      sampled: true,
      version: '1.0.0',
      requestSize: 0,
      responseSize: null,
      traceState: null,
      scheme: 'http',
      stages: null,
    },
  ],
  error: [{ kind: 'error', correlationId: null, error: null }],
  'computed-value-failed': [
    { kind: 'computed-value-failed', resource: 'notes', id: '7', field: 'size', reason: 'threw', value: null },
  ],
  'store-unavailable': [{ kind: 'store-unavailable', error: new Error('locked') }],
  'store-available': [{ kind: 'store-available' }],
  commit: [{ kind: 'commit', duration: 1, units: 2 }],
  'commit-blocked': [{ kind: 'commit-blocked', units: 2 }],
  'read-stopped': [{ kind: 'read-stopped', reason: 'timeout', correlationId: 'c' }],
  'rate-limited': [{ kind: 'rate-limited', bucket: 'caller' }],
  delivery: [{ kind: 'delivery', result: 'succeeded', duration: 1, lag: 2 }],
  'replica-joined': [{ kind: 'replica-joined', replica: 'replica1:5432' }],
  'replica-left': [{ kind: 'replica-left', replica: 'replica1:5432', problem: 'behind' }],
  'relay-failed': [{ kind: 'relay-failed', relay: 'shop', problem: 'connection refused' }],
  'relay-resumed': [{ kind: 'relay-resumed', relay: 'shop' }],
  'database-lost': [{ kind: 'database-lost', path: 'a.db', change: 'missing' }],
  'database-migrated': [{ kind: 'database-migrated', error: new Error('no such column') }],
  'conversion-failed': [{ kind: 'conversion-failed', table: 'people', id: 'a', message: 'no last name' }],
  'rows-converted': [{ kind: 'rows-converted', table: 'people', rows: 1_000, total: 4_500 }],
  'database-writes': [{ kind: 'database-writes', failure: null }],
  'database-locked': [{ kind: 'database-locked', path: 'a.db' }],
  'clock-behind': [{ kind: 'clock-behind', newest: 2, behind: 1, followed: true }],
  'driver-unavailable': [{ kind: 'driver-unavailable', used: 'node', error: new Error('no addon') }],
  'table-truncated': [{ kind: 'table-truncated', table: 'film' }],
  'table-unrecorded': [{ kind: 'table-unrecorded', table: 'film', cause: 'disabled' }],
  'value-misfit': [{ kind: 'value-misfit', table: 'film', column: 'length' }],
  'temporary-secret': [{ kind: 'temporary-secret', name: 'shop' }],
  'schema-changed': [
    { kind: 'schema-changed', database: 'a.db', isNew: true, statements: [] },
    { kind: 'schema-changed', database: 'a.db', isNew: false, statements: [] },
  ],
  'mounted-without-auth': [{ kind: 'mounted-without-auth', name: 'desk', basePath: '/api' }],
  'deprecated-contract': [
    { kind: 'deprecated-contract', version: '1.4.2', caller: 'ann by app', route: '/api/notes', correlationId: 'c' },
  ],
  'token-rejected': [{ kind: 'token-rejected', correlationId: 'c', reason: 'expired' }],
  'shared-rate-limits': [
    { kind: 'shared-rate-limits', address: '127.0.0.1:6379', instances: 3, failure: new Error('silent') },
    { kind: 'shared-rate-limits', address: '127.0.0.1:6379', instances: 3, failure: null },
  ],
  'keys-unavailable': [{ kind: 'keys-unavailable', issuer: 'id', error: new Error('silent') }],
  'events-removed': [{ kind: 'events-removed', count: 1_024 }],
  'events-undelivered': [{ kind: 'events-undelivered', count: 2, subscriptions: ['after:notes.created'] }],
  'deliveries-pending': [{ kind: 'deliveries-pending', count: 1 }],
  listening: [{ kind: 'listening', url: 'http://localhost/api', allowAnyHost: false }],
  'metrics-listening': [{ kind: 'metrics-listening', url: 'http://127.0.0.1:9464/metrics' }],
  'no-authentication': [{ kind: 'no-authentication', isPublic: false }],
  unsupported: [{ kind: 'unsupported', declaration: 'auth' }],
  stopping: [{ kind: 'stopping', signal: 'SIGTERM' }],
  stopped: [{ kind: 'stopped', unfinished: 0 }],
  overload: [{ kind: 'overload', overloaded: true, reason: 'queue' }],
  'browser-not-opened': [{ kind: 'browser-not-opened', url: 'http://localhost', reason: 'none' }],
  'model-changed': [
    { kind: 'model-changed', file: 'a.yaml', problem: null },
    { kind: 'model-changed', file: 'a.yaml', problem: 'why' },
  ],
  'worker-exited': [{ kind: 'worker-exited', pid: 1, code: 1, signal: null, reason: null, restartDelay: 1 }],
  'worker-unresponsive': [{ kind: 'worker-unresponsive', pid: 1, duration: 1 }],
  'worker-killed': [{ kind: 'worker-killed', pid: 1 }],
};

const quoted = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');

/** The cells of a row of the tables of the guide, but for the explanation. */
function writeRow(samples: Samples<Kind>): readonly string[] {
  const [{ kind, ...members }] = samples;
  return [quoted([kind]), quoted(samples.map((each) => logEntry(each).event)), quoted(Object.keys(members))];
}

describe('the guide to observing', () => {
  it('lists each observation with its members and its events in the log', () => {
    const rows = [...guide.matchAll(/^\| (`[a-z-]+`) \| ([^|]*) \| ([^|]*) \|/gm)].map((row) => row.slice(1, 4));
    const expected = Object.values(OBSERVATIONS).map((samples) => writeRow(samples));
    assert.deepEqual(rows.map(String).toSorted(), expected.map(String).toSorted());
  });

  it('has the same code as the example for pino', () => {
    const example = readFileSync(path.join(root, 'examples/embed/pino.ts'), 'utf8');
    const [, code = ''] = /(export function .*)/s.exec(example) ?? [];
    assert.ok(code !== '' && guide.includes(code));
  });
});
