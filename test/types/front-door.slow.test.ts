import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import process from 'node:process';
import { describe, it } from 'node:test';
import * as parts from '../../src/exports/api.ts';
import * as model from '../../src/exports/model.ts';
import * as stores from '../../src/exports/stores.ts';
import * as restwright from '../../src/index.ts';
import { compose, countServerErrors, open, serve, type Services } from './embedder.ts';

const root = path.join(import.meta.dirname, '..', '..');
const services: Services = { isRegistered: async (vatId) => vatId === 'NO1', notify: async () => undefined };

/** Compiles one file with `isolatedDeclarations`. @returns the errors in that file */
function declarationErrors(file: string): readonly string[] {
  const tsc = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const options = [
    '--ignoreConfig',
    '--noEmit',
    '--declaration',
    '--isolatedDeclarations',
    '--strict',
    '--skipLibCheck',
  ];
  const language = ['--target', 'es2025', '--module', 'nodenext', '--allowImportingTsExtensions', '--types', 'node'];
  const { stdout } = spawnSync(process.execPath, [tsc, ...options, ...language, file], { cwd: root, encoding: 'utf8' });
  return stdout.split('\n').filter((line) => line.startsWith(file) || line.startsWith('error'));
}

describe('the root of the package', () => {
  it('exports a dozen values or so', () => {
    assert.deepEqual(Object.keys(restwright).sort(), [
      'ApiError',
      'ModelError',
      'createApi',
      'createListener',
      'createMetrics',
      'defineModel',
      'loadModel',
      'logEntry',
      'openApi',
      'openSqlite',
      'openVerifier',
      'refuse',
      'resource',
      'serveHttp',
      'startApi',
      'withServices',
    ]);
  });

  it('has the deprecated names as aliases of those that replace them', () => {
    assert.equal(restwright.openApi, restwright.startApi);
    assert.equal(restwright.createApi, parts.createApi);
    assert.equal(restwright.logEntry, parts.logEntry);
    assert.equal(restwright.openVerifier, parts.openVerifier);
    assert.equal(restwright.defineModel, model.defineModel);
    assert.equal(restwright.openSqlite, stores.openSqlite);
  });

  it('exports every type that a program with explicit types names', () => {
    assert.deepEqual(declarationErrors('test/types/embedder.ts'), []);
  });

  it('opens a model in TypeScript with its services, and passes observations on', async () => {
    const { observe, count } = countServerErrors();
    await using opened = await open(
      { ...services, isRegistered: () => Promise.reject(new Error('offline')) },
      { observe },
    );
    const server = await serve(opened.api, { port: 0 });
    const post = async (body: object): Promise<number> => {
      const options = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
      return (await fetch(`http://127.0.0.1:${server.port}/api/v1/suppliers`, options)).status;
    };
    assert.deepEqual([await post({ name: 'Elkem' }), await post({ name: 'Elkem', vat_id: 'NO1' })], [201, 500]);
    assert.equal(count(), 1);
    await server.close();
  });

  it('composes an API from a model, a store and a clock', async () => {
    const clock = { now: () => Date.parse('2026-01-02T03:04:05.678Z') };
    const { api, store } = await compose(
      { text: 'name: a\nresources: { notes: { schema: { type: object } } }' },
      clock,
    );
    const request = { method: 'GET', target: '/api/v1/notes', headers: ['Host', 'localhost'], body: null };
    const response = await api.handle({ ...request, httpVersion: '1.1', peer: '127.0.0.1' });
    assert.equal(response.status, 200);
    await store.close();
  });
});
