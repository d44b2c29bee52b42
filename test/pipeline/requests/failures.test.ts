import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { apiError } from '../../../src/conventions/errors.ts';
import {
  StatementTimeout,
  type Store,
  StoreOverloaded,
  StoreUnavailable,
  WriteOutcomeUnknown,
} from '../../../src/stores/store.ts';
import { apiUnderTest, type Setting } from '../support/api-under-test.ts';
import { replacing } from '../support/replacing.ts';
import { before } from '../support/rival.ts';
import { SHOP } from '../models/shop-model.ts';

const SECRET = 'SELECT secret FROM /var/lib/shop.db at Driver.prepare (driver.ts:5:1)';

/** A store whose row accesses all fail with the same error. */
function failing(error: unknown): Setting {
  const fail = (): never => {
    throw error;
  };
  const rows = {
    item: fail,
    wasVisible: fail,
    list: fail,
    lookup: fail,
    related: fail,
    missingAncestor: fail,
    missingReferences: fail,
  };
  const failures = {
    rows,
    stamps: {
      rowStamp: fail,
      knownRowStamp: fail,
      rowStampAhead: fail,
      resourceStamps: fail,
      partitionStamp: fail,
      settledRevision: fail,
    },
    writes: { commit: async () => fail(), pending: 0 },
    bookmarks: { get: fail },
    idempotencyRecords: { find: fail },
  };
  return {
    breaking: (store: Store) => ({ ...store, events: store.events, secret: () => store.secret(), ...failures }),
  };
}

/** A store whose first write fails. */
function failingOnce(store: Store, error: Error): Store {
  const failures = [error];
  return before(store, () => {
    const failure = failures.shift();
    if (failure !== undefined) throw failure;
  });
}

const requests = [
  { send: 'GET /api/v1/notes' },
  { send: 'GET /api/v1/notes/a' },
  { send: 'HEAD /api/v1/notes/a' },
  { send: 'POST /api/v1/notes', body: { id: 'a' } },
  { send: 'PUT /api/v1/notes/a', body: {} },
  { send: 'PATCH /api/v1/notes/a', body: {} },
  { send: 'DELETE /api/v1/notes/a' },
] as const;

/** Observations of a server that works. A mount observes that it has no authentication. */
const ROUTINE: ReadonlySet<string> = new Set(['commit', 'request', 'schema-changed', 'mounted-without-auth']);

describe('an internal error', () => {
  for (const request of requests) {
    it(`[ERR-7] is a constant 500, with the cause only in the log: ${request.send}`, async () => {
      const cause = new Error(SECRET);
      await using shop = await apiUnderTest(SHOP, failing(cause));
      const { body, headers } = await shop.row({
        ...request,
        status: 500,
        expectHeaders: { 'Cache-Control': 'no-store', 'Retry-After': null },
        has: {
          httpStatus: 500,
          errorCode: 'SERVER_ERROR',
          errorMessage: 'The server failed; the cause is in its log under the correlation id.',
          details: [],
        },
      });
      assert.ok(!`${JSON.stringify(body)}${[...headers].join('')}`.includes('secret'));
      const correlationId = headers.get('x-correlation-id') ?? '';
      assert.deepEqual(
        shop.observations.filter(({ kind }) => kind === 'error'),
        [{ kind: 'error', correlationId, error: cause }],
      );
      const exchange = shop.observations.at(-1);
      assert.equal(exchange?.kind === 'request' ? exchange.errorCode : null, 'SERVER_ERROR');
      assert.ok(!JSON.stringify(exchange).includes('secret'));
    });
  }

  for (const thrown of [undefined, 'SELECT secret', { secret: 1 }, Symbol('secret')]) {
    it(`[ERR-7] is the same 500 if the thrown value is not an Error: ${typeof thrown}`, async () => {
      await using shop = await apiUnderTest(SHOP, failing(thrown));
      const { text } = await shop.row({
        send: 'GET /api/v1/notes/a',
        status: 500,
        has: { errorCode: 'SERVER_ERROR' },
      });
      assert.ok(!text.includes('secret'));
    });
  }

  const passing: readonly (readonly [error: Error, code: string])[] = [
    [new StatementTimeout(SECRET), 'SERVER_TIMEOUT'],
    [new StoreOverloaded(SECRET), 'SERVER_OVERLOADED'],
    [new StoreUnavailable(SECRET), 'SERVER_UNAVAILABLE'],
    [new WriteOutcomeUnknown(SECRET), 'SERVER_OUTCOME_UNKNOWN'],
  ];
  for (const [error, errorCode] of passing) {
    it(`[ERR-7] that is temporary is 503 ${errorCode} with Retry-After, as problem details on request`, async () => {
      await using shop = await apiUnderTest(SHOP, failing(error));
      for (const [accept, type] of [
        ['*/*', 'application/json'],
        ['application/problem+json, */*;q=0.5', 'application/problem+json'],
      ] as const) {
        const { text } = await shop.row({
          // Only a write may have been made.
          ...(errorCode === 'SERVER_OUTCOME_UNKNOWN'
            ? { send: 'POST /api/v1/notes', body: { id: 'a', text: 'x' } }
            : { send: 'GET /api/v1/notes' }),
          headers: { Accept: accept },
          status: 503,
          has: { errorCode },
          expectHeaders: { 'Retry-After': /^[1-9][0-9]*$/, 'Cache-Control': 'no-store', 'Content-Type': type },
        });
        assert.ok(!text.includes('secret'));
      }
    });
  }
});

describe('an unavailable database', () => {
  const note = { id: 'a', text: 'x' };
  const writes = [
    { send: 'POST /api/v1/notes', body: note },
    {
      send: 'POST /api/v1/notes',
      headers: { 'Content-Type': 'application/x-ndjson', Accept: 'application/x-ndjson' },
      body: JSON.stringify(note),
    },
    {
      send: 'POST /api/v1/batches',
      body: { atomic: false, operations: [{ method: 'POST', path: '/notes', body: note }] },
    },
  ];
  const reasons = [
    ['full', /disk of the server is full/],
    ['locked', /locked by another process/],
    ['io', /disk of the server has failed/],
    ['read-only', /can only be read/],
    ['corrupt', /is damaged/],
    ['lost', /was moved, deleted or replaced, and the server has to be restarted/],
    ['migrated', /was migrated to another model; its operator has to restart/],
    ['away', /cannot be reached; nothing was changed/],
    [null, /not available/],
  ] as const;
  for (const [reason, message] of reasons) {
    it(`[ERR-7] is reported to the client with the reason, and to the log with the cause: ${reason}`, async () => {
      const failure = new StoreUnavailable('No database', { cause: new Error(SECRET), reason });
      for (const write of writes) {
        await using shop = await apiUnderTest(SHOP, { breaking: (store) => failingOnce(store, failure) });
        const { text } = await shop.send(write);
        assert.match(text, /"SERVER_UNAVAILABLE"/);
        assert.match(text, message);
        assert.ok(!text.includes('secret'));
        assert.deepEqual(
          shop.observations.filter(({ kind }) => !ROUTINE.has(kind)),
          [{ kind: 'store-unavailable', error: failure }],
        );
      }
    });
  }
});

describe('an item whose stamp cannot be read', () => {
  it('[ERR-7] is 503, and ends no process: the row that is read ahead of it fails, too', async () => {
    const failed = (): Promise<never> => Promise.reject(new StoreUnavailable('No database', { reason: 'away' }));
    await using shop = await apiUnderTest(SHOP, {
      breaking: (store) => replacing(store, { rowStamp: failed, rowStampAhead: () => 1, item: failed }),
    });
    assert.equal((await shop.send({ send: 'GET /api/v1/notes/a' })).status, 503);
  });
});

describe('the readiness of a server', () => {
  it('[OPS-7b] is 503 with the reason while the store is unavailable, and the liveness stays 200', async () => {
    let failure: Error | null = new StoreUnavailable('The disk of the database is full', { reason: 'full' });
    const ping = (): void => {
      if (failure !== null) throw failure;
    };
    await using shop = await apiUnderTest(SHOP, {
      breaking: (store) => ({ ...store, ping, secret: () => store.secret() }),
    });
    const { body } = await shop.row({
      send: 'GET /readyz',
      status: 503,
      has: { errorCode: 'SERVER_UNAVAILABLE' },
      expectHeaders: { 'Retry-After': '1' },
    });
    assert.match(body.errorMessage, /disk of the server is full; reads still work/);
    await shop.row({ send: 'GET /livez', status: 200 });
    failure = null;
    await shop.row({ send: 'GET /readyz', status: 200 });
  });
});

describe('an observer that fails', () => {
  const lost = new Error('the log is gone');
  const sinks: Readonly<Record<string, () => unknown>> = {
    'is quick to': () => {
      throw lost;
    },
    'is late to': async () => Promise.reject(lost),
  };
  for (const [how, observe] of Object.entries(sinks)) {
    it(`[ERR-1] does not affect responses if it ${how} fail`, async () => {
      await using shop = await apiUnderTest(SHOP, { observe });
      const { api } = shop;
      await shop.row({ send: 'GET /api/v1/notes', status: 200 });
      await shop.row({ send: 'POST /api/v1/notes', body: {}, status: 400 });
      await shop.row({ send: 'PUT /api/v1/notes/a', body: { text: 'x' }, status: 201, events: ['note.created'] });
      assert.equal(api.refuse(lost, { method: 'GET', target: '/', headers: [] }).status, 500);
      assert.equal(shop.observations.filter(({ kind }) => kind === 'request').length, 4);
    });
  }
});

describe('an invalid HTTP message', () => {
  it('[ERR-1] gets a normal error response with the known facts', async () => {
    await using shop = await apiUnderTest(SHOP);
    const error = apiError('REQUEST_TIMEOUT', 'The request did not arrive in time; send it again.');
    const headers = ['X-Correlation-ID', 'mine', 'Accept', 'application/problem+json'];
    const answer = shop.api.refuse(error, { method: 'GET', target: '/api/v1/notes?token=secret', headers });
    assert.equal(answer.status, 408);
    const problem = JSON.parse(String(answer.body)) as Record<string, unknown>;
    assert.equal(problem['correlationId'], 'mine');
    assert.equal(problem['title'], 'Request Timeout');
    const [observed] = shop.observations.filter(({ kind }) => kind === 'request');
    assert.ok(observed?.kind === 'request');
    assert.deepEqual([observed.status, observed.errorCode, observed.target], [408, 'REQUEST_TIMEOUT', '/api/v1/notes']);
  });

  it('[ERR-1] gets an error response even if nothing is known', async () => {
    await using shop = await apiUnderTest(SHOP);
    const answer = shop.api.refuse(new Error(SECRET), { method: '', target: '', headers: [] });
    assert.equal(answer.status, 500);
    assert.ok(!String(answer.body).includes('secret'));
  });
});
