import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type Api, createApi } from '../../../src/api.ts';
import type { TokenVerifier } from '../../../src/auth/token-verifier.ts';
import { loadModel } from '../../../src/model/compile/load-model.ts';
import { createIds } from '../../../src/platform/ids.ts';
import { createRandom } from '../../../src/platform/random.ts';
import type { Store } from '../../../src/stores/store.ts';
import { CLAIMS, ISSUER, JWKS, NOW, SECONDS, token, verifier } from '../../auth/signing.ts';
import { type ApiUnderTest, apiUnderTest, rawRequest, type Seen, seen } from '../support/api-under-test.ts';
import { replacing } from '../support/replacing.ts';
import { carry, chosenTransport } from '../support/transports.ts';
import { runs } from '../../extent.ts';

const OTHER = { ...ISSUER, name: 'other', issuer: 'https://other.example.com/' };
const MODEL = JSON.stringify({
  name: 'shop',
  secret: 'a secret that both servers have, of some length',
  auth: {
    issuers: [ISSUER, OTHER].map(({ name, issuer }) => ({
      name,
      issuer,
      audience: ISSUER.audiences[0],
      jwks: { keys: JWKS },
    })),
  },
  limits: { rate: false },
  resources: {
    products: {
      id: 'client',
      schema: {
        type: 'object',
        properties: {
          name: { type: 'string' },
          status: { type: 'string', enum: ['DRAFT', 'CLOSED'], default: 'DRAFT' },
        },
      },
      state: { field: 'status', initial: 'DRAFT', transitions: { DRAFT: [{ to: 'CLOSED', scope: 'products:close' }] } },
      cache: { max_age: 60 },
      indexes: ['name'],
    },
    posters: {
      id: 'client',
      schema: { type: 'object', properties: { product_id: { type: 'string', 'x-references': 'products' } } },
      access: { read: 'public' },
      cache: { max_age: 60, scope: 'public' },
    },
  },
});

/** The claims of a token: issuer, subject, client, scopes and expiry. */
interface Caller {
  readonly iss: string;
  readonly sub: string;
  readonly client_id: string | undefined;
  readonly scope: string;
  readonly exp: number;
}

const WRITE = 'products:read products:write posters:write products:close';
/** Callers that differ in one thing from the first, and less often in what they may do or for how long. */
const caller = fc
  .tuple(
    fc.constantFrom({}, { iss: OTHER.issuer }, { sub: 'bob' }, { client_id: 'web' }),
    fc.constantFrom(WRITE, WRITE, WRITE, WRITE, WRITE, WRITE, 'products:read products:write', 'posters:write'),
    fc.constantFrom(SECONDS + 1_000, SECONDS + 1_000, SECONDS + 60),
  )
  .map(
    ([other, scope, exp]): Caller => ({
      iss: ISSUER.issuer,
      sub: 'ann',
      client_id: undefined,
      ...other,
      scope,
      exp,
    }),
  );

/** A request of a caller; null for an anonymous one. */
interface Step {
  readonly who: Caller | null;
  readonly what: Request;
}

interface Request {
  readonly send: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** True if the request is conditional on the last ETag that any caller got for its target. */
  readonly conditional?: boolean;
}

const MERGE = { 'Content-Type': 'application/merge-patch+json' };
const KEY = { 'Idempotency-Key': 'k' };
const TARGETS = [
  '/products/a',
  '/products',
  '/products?name=lamp',
  '/products?page=1&include_total=true',
  '/posters/p',
  '/posters/p?expand=product',
  '/posters?expand=product',
  '/batches/last',
];
const operations = [
  { method: 'PATCH', path: '/products/a', headers: MERGE, body: { name: 'desk' } },
  { method: 'POST', path: '/posters', body: { id: 'p', product_id: 'a' } },
];
const WRITES: readonly Request[] = [
  { send: 'POST /products', headers: KEY, body: { id: 'a', name: 'lamp' } },
  { send: 'POST /products', body: { id: 'a', name: 'desk' } },
  { send: 'PUT /products/a', body: { name: 'lamp' } },
  { send: 'PATCH /products/a', headers: { ...MERGE, ...KEY }, body: { name: 'desk' } },
  { send: 'PATCH /products/a', headers: { ...MERGE, ...KEY }, body: { status: 'CLOSED' } },
  { send: 'PATCH /products/a', headers: MERGE, body: { name: 'lamp' } },
  { send: 'POST /posters', headers: KEY, body: { id: 'p', product_id: 'a' } },
  { send: 'DELETE /products/a' },
  { send: 'DELETE /posters/p' },
  { send: 'POST /batches', headers: KEY, body: { operations } },
  { send: 'POST /batches', headers: KEY, body: { atomic: false, operations } },
];
const reads = fc
  .record({ target: fc.constantFrom(...TARGETS), conditional: fc.boolean() })
  .map(({ target, conditional }): Request => ({ send: `GET ${target}`, conditional }));
const writes = fc.constantFrom(...WRITES);
const step = fc.record<Step>({
  who: fc.option(caller, { freq: 15 }),
  what: fc.oneof(reads, writes),
});
/** Requests, and how many seconds pass before each. */
const steps = fc.array(fc.tuple(step, fc.constantFrom(0, 0, 0, 0, 0, 0, 0, 30)), {
  minLength: 20,
  maxLength: 60,
  size: 'max',
});

/** ETags name the epoch of their database, which both databases share here. */
const inOneEpoch = (store: Store): Store => ({
  ...replacing(store, {}),
  cacheEpoch: () => ({ id: 'epoch', since: NOW }),
});

/** A server of its own database, which answers one request after another. */
interface Subject {
  readonly desk: ApiUnderTest;
  send(request: Request, headers: Readonly<Record<string, string>>): Promise<Seen>;
  /** The URL of the last batch, whoever sent it. */
  batch: string;
}

/** Answers all requests with one API and one verifier, whose caches fill. */
async function caching(): Promise<Subject> {
  const clock = { now: () => NOW };
  const tokens: TokenVerifier = await verifier({ issuers: [ISSUER, OTHER], now: () => clock.now() });
  const desk = await apiUnderTest(MODEL, { tokens, time: NOW, breaking: inOneEpoch });
  clock.now = () => desk.clock.now();
  return { desk, batch: '', send: async (request, headers) => desk.send({ ...request, headers }) };
}

/** Answers each request with an API and a verifier of its own, over one database: nothing is cached. */
async function forgetting(): Promise<Subject> {
  const { model } = loadModel({ text: MODEL });
  const desk = await apiUnderTest(MODEL, { tokens: { verify: () => assert.fail('not this one') }, time: NOW });
  const clock = { now: () => desk.clock.now() };
  const store = inOneEpoch(desk.store);
  const random = createRandom();
  const ids = createIds({ clock, random });
  const api = async (): Promise<Api> => {
    const tokens = await verifier({ issuers: [ISSUER, OTHER], now: () => clock.now() });
    const origin = (): string => 'http://127.0.0.1:3000';
    return createApi({
      model,
      store,
      clock,
      elapsed: () => clock.now(),
      ids,
      random,
      tokens,
      origin,
      observe: () => undefined,
    });
  };
  const send: Subject['send'] = async (request, headers) => {
    const carrier = carry(await api(), chosenTransport());
    const got = await seen(await carrier.handle(rawRequest({ ...request, headers })));
    await carrier.close();
    return got;
  };
  return { desk, batch: '', send };
}

/** Fields that no two responses share, and the ETags of batches, whose bytes have the id that the server made. */
const OWN = new Set(['date', 'x-correlation-id', 'server-timing']);
const UUID = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g;

function comparable({ status, headers, text }: Seen, isBatch: boolean): object {
  const fields = [...headers]
    .filter(([field]) => !OWN.has(field))
    .map(([field, value]) => (isBatch && (field === 'etag' || field === 'content-length') ? [field] : [field, value]));
  const result = JSON.parse(JSON.stringify({ status, fields, text }).replaceAll(UUID, '#'));
  if (isBatch) result.text = String(result.text).replaceAll(/\\?"ETag\\?":\\?"[^,]*/g, '');
  return result;
}

/** Sends a request to a server. @param etags the last one of each target */
async function ask(subject: Subject, { who, what }: Step, etags: ReadonlyMap<string, string>): Promise<Seen> {
  const [method = '', path = ''] = what.send.split(' ');
  const target = path === '/batches/last' ? subject.batch || '/api/v1/batches/none' : `/api/v1${path}`;
  const claims = who === null ? null : { ...CLAIMS, ...who };
  const etag = what.conditional === true ? etags.get(target) : undefined;
  const headers = {
    ...what.headers,
    ...(claims === null ? {} : { Authorization: `Bearer ${signed(claims)}` }),
    ...(etag === undefined ? {} : { 'If-None-Match': etag }),
  };
  const { conditional: _conditional, ...request } = what;
  return subject.send({ ...request, send: `${method} ${target}` }, headers);
}

/** The token of a caller: always the same one, as a client keeps it. */
const known = new Map<string, string>();
function signed(claims: Record<string, unknown>): string {
  const text = JSON.stringify(claims);
  const made = known.get(text) ?? token({ claims });
  known.set(text, made);
  return made;
}

/** Identifies a request under an idempotency key by every claim that names its caller, and by its content. */
function replayName({ who, what }: Step): string {
  return JSON.stringify([who?.iss, who?.sub, who?.client_id, what.send, what.headers, what.body]);
}

async function compare(sequence: readonly (readonly [Step, number])[]): Promise<void> {
  const [one, other] = await Promise.all([caching(), forgetting()]);
  const etags = new Map<string, string>();
  const done = new Set<string>();
  try {
    for (const [each, seconds] of sequence) {
      for (const { desk } of [one, other]) desk.clock.advance(seconds * 1_000);
      const got = await ask(one, each, etags);
      const expected = await ask(other, each, etags);
      const isBatch = each.what.send.includes('/batches');
      assert.deepEqual(comparable(got, isBatch), comparable(expected, isBatch), JSON.stringify(each));
      assert.ok(got.status < 500, got.text);
      if (got.headers.get('idempotent-replayed') === 'true')
        assert.ok(done.has(replayName(each)), `another caller's: ${JSON.stringify(each)}`);
      if (got.status < 300) done.add(replayName(each));
      const etag = got.headers.get('etag');
      if (!isBatch && got.status === 200 && etag !== undefined)
        etags.set(`/api/v1${each.what.send.split(' ')[1]}`, etag);
      if (each.what.send === 'POST /batches' && got.status === 201) {
        one.batch = got.headers.get('location') ?? '';
        other.batch = expected.headers.get('location') ?? '';
      }
    }
  } finally {
    await Promise.all([one.desk.close(), other.desk.close()]);
  }
}

describe('sequences of callers and requests', () => {
  it('[AUTH-9c] [CACHE-5] get what a server answers that caches nothing', async () => {
    await fc.assert(fc.asyncProperty(steps, compare), { numRuns: runs(4, 30) });
  });
});
