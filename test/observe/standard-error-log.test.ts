import assert from 'node:assert/strict';
import process from 'node:process';
import { it } from 'node:test';
import { standardErrorLog } from '../../src/observe/standard-error-log.ts';
import type { Observation } from '../../src/observe/observation.ts';

const REQUEST: Observation = {
  kind: 'request',
  method: 'GET',
  target: '/',
  route: null,
  status: 500,
  errorCode: 'SERVER_ERROR',
  duration: 1,
  correlationId: 'c',
  traceId: 't',
  parentId: null,
  sampled: true,
  version: '1.0.0',
  requestSize: 0,
  responseSize: null,
  traceState: null,
  scheme: 'http',
  stages: null,
};

it('[OPS-2d] logs warnings and errors on standard error where the application gives no observer', (test) => {
  const write = test.mock.method(process.stderr, 'write', () => true);
  const observe = standardErrorLog();
  observe(REQUEST);
  observe({ kind: 'listening', url: 'http://localhost', allowAnyHost: false });
  observe({ kind: 'mounted-without-auth', name: 'desk', basePath: '/api' });
  observe({ kind: 'error', correlationId: 'c', error: new Error('broken') });
  const lines = write.mock.calls.map(({ arguments: [line] }) => JSON.parse(String(line)));
  write.mock.restore();
  assert.deepEqual(
    lines.map(({ level, event }) => [level, event]),
    [
      ['warn', 'mounted_without_auth'],
      ['error', 'error'],
    ],
  );
  assert.match(lines[0].message, /every client that can reach this application may read and change all data/);
});
