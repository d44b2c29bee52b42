import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { failure } from './failure.ts';
import { collected, type Intercept } from './observed-client.ts';
import { serveShop } from './served-shop.ts';

const TEA = { sku: 'tea', name: 'Tea', price: '3.50' };

/** The response of a server that does nothing now. */
function refusal(status: number, errorCode: string, headers: Readonly<Record<string, string>> = {}): Intercept {
  const body = {
    httpStatus: status,
    errorCode,
    errorMessage: 'Later.',
    correlationId: 'c',
    timestamp: '',
    details: [],
  };
  return async () => Response.json(body, { status, headers });
}

/** The server executes the request, and its response is lost. */
const lost: Intercept = async (send) => {
  await (await send()).text();
  throw new TypeError('fetch failed');
};

/** The request does not reach the server. */
const unsent: Intercept = () => Promise.reject(new TypeError('fetch failed'));

describe('a client repeats a request', () => {
  it('after a temporary refusal, with a back-off that doubles', async () => {
    await using shop = await serveShop();
    shop.intercept(refusal(503, 'SERVER_OVERLOADED'), refusal(503, 'SERVER_UNAVAILABLE'));
    await shop.api.notes.page();
    assert.deepEqual(shop.pauses, [125, 250]);
  });

  it('after the time in Retry-After, in seconds or as a date', async () => {
    await using shop = await serveShop();
    shop.intercept(
      refusal(429, 'RATE_LIMIT_EXCEEDED', { 'Retry-After': '7' }),
      refusal(503, 'SERVER_TIMEOUT', { 'Retry-After': 'Fri, 02 Jan 2026 03:04:22 GMT' }),
    );
    await shop.api.notes.page();
    assert.deepEqual(shop.pauses, [7_125, 22_000 - 5_678 - 7_125 + 250]);
  });

  it('no more often than it may, and throws the last error', async () => {
    await using shop = await serveShop();
    shop.intercept(...Array<Intercept>(4).fill(refusal(429, 'RATE_LIMIT_EXCEEDED', { 'Retry-After': '1' })));
    const error = await failure(shop.api.notes.page());
    assert.deepEqual([error.kind, error.retryAfter, shop.sent.length], ['RATE_LIMIT_EXCEEDED', 1_000, 3]);
    assert.equal((await failure(shop.clientWith({ retries: 0 }).notes.page())).status, 429);
    assert.equal(shop.sent.length, 4);
  });

  it('not if the server wants a pause of more than a minute', async () => {
    await using shop = await serveShop();
    shop.intercept(refusal(429, 'RATE_LIMIT_EXCEEDED', { 'Retry-After': '61' }));
    assert.equal((await failure(shop.api.notes.page())).retryAfter, 61_000);
    assert.deepEqual(shop.pauses, []);
  });

  it('[MET-12] with the same Idempotency-Key, so that a POST and a PATCH whose response was lost run once', async () => {
    await using shop = await serveShop();
    shop.intercept(lost, lost);
    const tea = await shop.api.products.create(TEA);
    shop.intercept(lost);
    const changed = await shop.api.products.update(tea, { stock: 2 });
    assert.deepEqual([changed.stock, changed.revision > tea.revision], [2, true]);
    assert.deepEqual(
      shop.sent.map(({ method, headers }) => `${method} ${headers.get('Idempotency-Key')}`),
      ['POST key-1', 'POST key-1', 'POST key-1', 'PATCH key-2', 'PATCH key-2'],
    );
    assert.equal(await shop.newEvents(), 2);
  });

  it('[MET-12] also a batch, and a part of an upload', async () => {
    await using shop = await serveShop();
    shop.intercept(lost);
    await shop.api.$batch((to) => [to.notes.create({ text: 'a' }), to.notes.create({ text: 'b' })]);
    shop.intercept(lost);
    const lines = await collected(shop.api.notes.createMany([{ text: 'c' }, { text: 'd' }]));
    assert.deepEqual(
      lines.map(({ line, error }) => [line, error]),
      [
        [1, null],
        [2, null],
      ],
    );
    assert.equal(await shop.newEvents(), 4);
  });

  it('that replaces or deletes without a condition: what a lost response has deleted is no error', async () => {
    await using shop = await serveShop();
    const tea = await shop.api.products.create(TEA);
    shop.intercept(lost);
    assert.equal((await shop.api.products.replace(tea.id, { ...TEA, name: 'Green' })).name, 'Green');
    shop.intercept(lost);
    await shop.api.products.delete(tea.id);
    assert.equal(shop.sent.at(-1)?.method, 'DELETE');
    assert.equal((await failure(shop.api.products.delete(tea.id))).kind, 'NOT_FOUND');
  });

  it('[CACHE-3] not with If-Match if its response was lost, because the revision has changed', async () => {
    await using shop = await serveShop();
    const tea = await shop.api.products.create(TEA);
    for (const call of [() => shop.api.products.replace(tea, TEA), () => shop.api.products.delete(tea)]) {
      const before = shop.sent.length;
      shop.intercept(unsent);
      assert.equal((await failure(call())).kind, 'CLIENT_CONNECTION_FAILED');
      assert.equal(shop.sent.length, before + 1);
    }
    shop.intercept(refusal(503, 'SERVER_OVERLOADED'));
    await shop.api.products.delete(tea);
  });

  it('[ERR-7] not without a key or with If-Match if the database did not confirm it', async () => {
    await using shop = await serveShop();
    const tea = await shop.api.products.create(TEA);
    shop.intercept(refusal(503, 'SERVER_OUTCOME_UNKNOWN', { 'Retry-After': '0' }));
    assert.equal((await failure(shop.api.products.delete(tea))).kind, 'SERVER_OUTCOME_UNKNOWN');
    shop.intercept(refusal(503, 'SERVER_OUTCOME_UNKNOWN', { 'Retry-After': '0' }));
    assert.equal((await shop.api.products.update(tea, { stock: 2 })).stock, 2);
  });

  it('[MET-12] that is still running', async () => {
    await using shop = await serveShop();
    shop.intercept(refusal(409, 'IDEMPOTENCY_KEY_IN_PROGRESS', { 'Retry-After': '1' }));
    await shop.api.notes.create({ text: 'a' });
    assert.deepEqual(shop.pauses, [1_125]);
  });

  it('not after any other error', async () => {
    await using shop = await serveShop();
    for (const [status, code] of [
      [500, 'SERVER_ERROR'],
      [409, 'NOTE_CONFLICT'],
      [501, 'REQUEST_METHOD_NOT_IMPLEMENTED'],
    ] as const) {
      shop.intercept(refusal(status, code));
      assert.equal((await failure(shop.api.notes.page())).code, code);
    }
    assert.deepEqual(shop.pauses, []);
  });

  it('after a response of a proxy, which has no error of the API', async () => {
    await using shop = await serveShop();
    shop.intercept(async () => new Response('<html>', { status: 502 }));
    await shop.api.notes.create({ text: 'a' });
    shop.intercept(async () => new Response('<html>', { status: 403 }));
    const error = await failure(shop.api.notes.page());
    assert.deepEqual([error.kind, error.status, error.correlationId], ['CLIENT_RESPONSE_INVALID', 403, null]);
    shop.intercept(async () => new Response('<html>', { status: 200 }));
    assert.equal((await failure(shop.api.notes.page())).kind, 'CLIENT_RESPONSE_INVALID');
  });
});

describe('an error of a newer server', () => {
  it('has the code UNKNOWN, and the body of the response as its cause', async () => {
    await using shop = await serveShop();
    shop.intercept(refusal(451, 'REQUEST_CENSORED'));
    const error = await failure(shop.api.notes.page());
    assert.deepEqual([error.kind, error.code, error.status], ['UNKNOWN', 'UNKNOWN', 451]);
    assert.ok(typeof error.cause === 'object' && error.cause !== null && 'errorCode' in error.cause);
    assert.equal(error.cause.errorCode, 'REQUEST_CENSORED');
  });
});

describe('the token of a client', () => {
  it('[AUTH-3b] is requested for each call, and once more if it was refused', async () => {
    await using shop = await serveShop();
    const refusals: (string | null)[] = [];
    const tokens = ['expired', 'all-scopes', 'all-scopes', 'bad', 'bad'];
    const api = shop.clientWith({
      token: async (refused) => {
        refusals.push(refused);
        return tokens.shift() ?? null;
      },
    });
    await api.notes.page();
    await api.notes.page();
    assert.equal((await failure(api.notes.page())).kind, 'AUTH_TOKEN_INVALID');
    assert.deepEqual(refusals, [null, 'expired', null, null, 'bad']);
    assert.deepEqual(shop.pauses, []);
  });

  it('[AUTH-3b] is not repeated if it is a text, and what its function throws is thrown', async () => {
    await using shop = await serveShop();
    assert.equal((await failure(shop.clientWith({ token: 'expired' }).notes.page())).kind, 'AUTH_TOKEN_EXPIRED');
    assert.equal(shop.sent.length, 1);
    const cause = new Error('signed out');
    await assert.rejects(shop.clientWith({ token: () => Promise.reject(cause) }).notes.page(), cause);
  });
});

describe('the end of a call', () => {
  const never: Intercept = (_send, _url, { signal }) =>
    new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));

  it('by its signal has the reason of the signal, before, during and between attempts', async () => {
    await using shop = await serveShop();
    const reason = new Error('the user left');
    await assert.rejects(shop.api.notes.get('1', { signal: AbortSignal.abort(reason) }), reason);
    assert.equal(shop.sent.length, 0);
    const during = new AbortController();
    shop.intercept(never);
    const call = shop.api.notes.get('1', { signal: during.signal });
    during.abort(reason);
    await assert.rejects(call, reason);
    const between = new AbortController();
    const waiting = shop.clientWith({
      platform: { wait: async () => between.abort(reason), random: () => 0, uniqueKey: () => 'k', now: () => 0 },
    });
    shop.intercept(refusal(503, 'SERVER_OVERLOADED'));
    await assert.rejects(waiting.notes.page({ signal: between.signal }), reason);
  });

  it('by time is an error, and is repeated as one whose response was lost', async () => {
    await using shop = await serveShop();
    shop.intercept(never, never);
    const error = await failure(shop.clientWith({ retries: 1, timeout: 5 }).notes.page());
    assert.deepEqual([error.kind, shop.sent.length], ['CLIENT_TIMEOUT', 2]);
  });
});
