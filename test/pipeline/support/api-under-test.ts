import assert from 'node:assert/strict';
import process from 'node:process';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { type Api, createApi } from '../../../src/api.ts';
import { RESPONSE_FIELDS } from '../../../src/conventions/headers/field-names.ts';
import type { TokenVerifier } from '../../../src/auth/token-verifier.ts';
import type { EventEnvelope } from '../../../src/conventions/events/event.ts';
import type { Resolve } from '../../../src/events/webhooks/guarded-agents.ts';
import { webhookSender } from '../../../src/events/webhooks/sender.ts';
import type { DefinedModel } from '../../../src/model/typescript/define-model.ts';
import { type LoadedModel, loadDefinition, loadModel } from '../../../src/model/compile/load-model.ts';
import { readOnlyModel } from '../../../src/model/compile/read-only-model.ts';
import type { Metrics } from '../../../src/observe/metrics/metrics.ts';
import { type Observation, type Observe, observeAll } from '../../../src/observe/observation.ts';
import type { ApiResponse, RawRequest } from '../../../src/exchange/handler.ts';
import { bufferedBody } from '../../../src/exchange/handler.ts';
import { createIds } from '../../../src/platform/ids.ts';
import { createRandom } from '../../../src/platform/random.ts';
import type { DriverName } from '../../../src/stores/sqlite/driver/driver.ts';
import type { Store } from '../../../src/stores/store.ts';
import { assertEventsDescribed } from '../../describe/asyncapi/described-events.ts';
import { assertDescribed } from './described-responses.ts';
import { ALL_SCOPES, fakeTokens } from './fake-tokens.ts';
import { newestNames, servedAsOlder, withOlderNames } from './older-contract.ts';
import { openStoreUnderTest } from './store-under-test.ts';
import { carry, chosenTransport } from './transports.ts';

/** One HTTP test: a request, its expected response and the expected events. */
export interface ExchangeRow {
  /** `GET /api/v1/products`. */
  readonly send: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Strings and bytes are sent as they are, other values as JSON. The default Content-Type is JSON. */
  readonly body?: unknown;
  readonly status: number;
  /** Expected header fields: an exact value, a pattern, or null for an absent field. */
  readonly expectHeaders?: Readonly<Record<string, string | RegExp | null>>;
  /** The expected body. */
  readonly expectBody?: unknown;
  /** Some expected members of the body. */
  readonly has?: Readonly<Record<string, unknown>>;
  /** Types of the expected events, in order. Default: none. */
  readonly events?: readonly string[];
}

/** A received response. */
export interface Seen {
  readonly status: number;
  /** Header fields by lower-case name. */
  readonly headers: ReadonlyMap<string, string>;
  /** The body as sent. */
  readonly bytes: Uint8Array;
  /** The body, decompressed and decoded. */
  readonly text: string;
  // Untyped, so that tests can access members freely; the assertions check them.
  readonly body: JsonBody;
}

/** The result of `JSON.parse`. */
type JsonBody = ReturnType<typeof JSON.parse>;

/** An API with a separate database and a clock that the test controls. */
export interface ApiUnderTest extends AsyncDisposable {
  readonly api: Api;
  readonly store: Store;
  readonly observations: readonly Observation[];
  /** Milliseconds since the epoch; tests advance it. */
  readonly clock: { now(): number; advance(milliseconds: number): void };
  send(row: Pick<ExchangeRow, 'send' | 'headers' | 'body'>): Promise<Seen>;
  /** Sends a request and checks the response and the events. */
  row(row: ExchangeRow): Promise<Seen>;
  newEvents(): Promise<readonly EventEnvelope[]>;
  close(): Promise<void>;
}

const EXPOSED = new Set(RESPONSE_FIELDS.map((name) => name.toLowerCase()));

export const START = Date.parse('2026-01-02T03:04:05.678Z');

/** Options of an API under test. */
export interface Setting {
  /** Path of the database. Default: in memory. */
  readonly database?: string;
  /** The driver of the file. Default: that of the suite. */
  readonly driver?: DriverName;
  /** True if the tables that the model shows are only read. */
  readonly readOnly?: boolean;
  /** The initial time in milliseconds since the epoch. */
  readonly time?: number;
  readonly open?: boolean;
  readonly unready?: () => string | null;
  /** Verifies the tokens of a model with `auth`. */
  readonly tokens?: TokenVerifier;
  /** Waits for a number of milliseconds. Default: advances the clock by them. */
  readonly sleep?: (milliseconds: number) => Promise<unknown>;
  /** Wraps the store, for example to make it fail. */
  readonly breaking?: (store: Store) => Store;
  /** Measures the API, which serves them at `/metrics`. */
  readonly metrics?: Metrics;
  /** Receives the times of stages, too. */
  readonly traces?: Observe;
  readonly serverTiming?: boolean;
  /** Resolves the names of webhook hosts. Default: to a public address. */
  readonly resolve?: Resolve;
  /** An additional observer, for example one that fails. */
  readonly observe?: Observe;
}

/** True if every API of the suite authenticates its callers. Every request then has a token that may do everything. */
const isAuthenticated = process.env['RESTWRIGHT_AUTHENTICATED'] === '1';
/** True if every response is compared with the description of its version. */
const isDescribed = process.env['RESTWRIGHT_DESCRIBED'] === '1';
/** The fields whose values differ with authentication (NEG-3, CACHE-5, CACHE-1). */
const DIFFERENT = new Set(['vary', 'cache-control', 'etag']);
const AUTH = {
  issuers: [
    {
      name: 'test',
      issuer: 'https://id.example.com',
      audience: 'test',
      hs256_secret: '0123456789abcdef0123456789abcdef',
    },
  ],
};

/** The model with authentication, where the environment asks for it. */
function withChosenAuth(declared: string | DefinedModel): string | DefinedModel {
  if (!isAuthenticated) return declared;
  if (typeof declared !== 'string')
    return {
      ...declared,
      definition: { ...declared.definition, auth: AUTH, limits: { ...declared.definition.limits, rate: false } },
    };
  if (declared.startsWith('{')) return JSON.stringify({ ...JSON.parse(declared), auth: AUTH, limits: { rate: false } });
  const unlimited = /^limits: \{/m.test(declared)
    ? declared.replace(/^limits: \{/m, 'limits: { rate: false,')
    : `${declared}\nlimits: { rate: false }\n`;
  return unlimited.replace(/^name:/m, `auth: ${JSON.stringify(AUTH)}\nname:`);
}

/**
 * True if the model of every API of the suite is an older version. Everything has another name in the newest version
 * above it.
 */
const isOlder = process.env['RESTWRIGHT_OLDER_CONTRACT'] === '1';

const toPublic: Resolve = async () => [{ address: '93.184.215.14', family: 4 }];

/** The models that were loaded last: most tests of a file have the same one, which is frozen. */
const loaded = new Map<string, LoadedModel>();
const LOADED_MODELS = 8;

function loadOnce(text: string): LoadedModel {
  const known = loaded.get(text) ?? loadModel({ file: 'model.yaml', text, env: {} });
  loaded.delete(text);
  loaded.set(text, known);
  const [oldest] = loaded.keys();
  if (loaded.size > LOADED_MODELS && oldest !== undefined) loaded.delete(oldest);
  return known;
}

/** Opens an API for a YAML model or a defined model. */
export async function apiUnderTest(original: string | DefinedModel, setting: Setting = {}): Promise<ApiUnderTest> {
  const given = isOlder ? servedAsOlder(original) : original;
  const declared = setting.tokens === undefined ? withChosenAuth(given) : given;
  const tokens = setting.tokens ?? (declared === given ? undefined : fakeTokens);
  const compiled =
    typeof declared === 'string'
      ? loadOnce(declared)
      : loadDefinition({ file: 'model.ts', defined: declared, env: {} });
  const { services } = compiled;
  const model = setting.readOnly === true ? readOnlyModel(compiled.model) : compiled.model;
  let time = setting.time ?? START;
  const clock = { now: () => time, advance: (milliseconds: number) => (time += milliseconds) };
  const random = createRandom();
  const observations: Observation[] = [];
  const observe = (observation: Observation): void => void observations.push(observation);
  const { metrics } = setting;
  const store = await openStoreUnderTest({
    database: setting.database ?? null,
    driver: setting.driver,
    model,
    observe: metrics === undefined ? observe : observeAll(observe, metrics.observe),
    clock,
    random,
  });
  const api = await createApi({
    model,
    services,
    store: setting.breaking?.(store) ?? store,
    clock,
    elapsed: clock.now,
    ids: createIds({ clock, random }),
    random,
    observe: (observation) => {
      observe(observation);
      return setting.observe?.(observation);
    },
    ...(tokens === undefined ? {} : { tokens }),
    webhookSender:
      model.webhooks === null ? null : webhookSender(model.webhooks, { resolve: setting.resolve ?? toPublic }),
    sleep: setting.sleep ?? ((milliseconds) => Promise.resolve(clock.advance(milliseconds))),
    traces: setting.traces ?? null,
    serverTiming: setting.serverTiming ?? false,
    ...(metrics === undefined ? {} : { metrics, serveMetrics: true }),
    allowAnyHost: setting.open ?? false,
    notReadyReason: setting.unready ?? (() => null),
    origin: () => 'http://127.0.0.1:3000',
  });
  let seenSequence = 0;
  const newEvents = async (): Promise<readonly EventEnvelope[]> => {
    const events = await store.events.after(seenSequence, 100_000);
    seenSequence = Number(events.at(-1)?.metadata.sequence ?? seenSequence);
    if (isDescribed) assertEventsDescribed(model, events);
    return isOlder ? JSON.parse(withOlderNames(JSON.stringify(events))) : events;
  };
  const carrier = carry(api, chosenTransport());
  const authorized = declared === given ? {} : { Authorization: `Bearer ${ALL_SCOPES}` };
  const send: ApiUnderTest['send'] = async (row) => {
    const request = rawRequest({ ...row, headers: { ...authorized, ...row.headers } });
    const got = await seen(await carrier.handle(request));
    if (isDescribed) assertDescribed(model, request, got);
    if (isOlder) assert.deepEqual(newestNames([got.text, ...got.headers.values()].join('\n')), [], got.text);
    return got;
  };
  const close = async (): Promise<void> => {
    await carrier.close();
    await api.endFeeds();
    await store.close();
  };
  return {
    api,
    store,
    observations,
    clock,
    send,
    newEvents,
    async row(row) {
      const got = await send(row);
      const events = await newEvents();
      assertRow(row, got, events);
      return got;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Makes the raw request that an HTTP server would pass on. */
export function rawRequest({ send, headers = {}, body }: Pick<ExchangeRow, 'send' | 'headers' | 'body'>): RawRequest {
  const space = send.indexOf(' ');
  const bytes = body === undefined ? null : bodyBytes(body);
  const given = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  const defaults: Record<string, string> = {
    Host: 'localhost:3000',
    ...(bytes === null ? {} : { 'Content-Type': 'application/json', 'Content-Length': String(bytes.length) }),
  };
  const flat = [
    ...Object.entries(defaults).filter(([name]) => !given.has(name.toLowerCase())),
    ...Object.entries(headers),
  ].flat();
  return {
    method: send.slice(0, space),
    target: send.slice(space + 1),
    headers: flat,
    body: bytes === null ? null : bufferedBody(bytes),
    httpVersion: '1.1',
    peer: '127.0.0.1',
  };
}

function bodyBytes(body: unknown): Uint8Array {
  if (body instanceof Uint8Array) return body;
  return new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body));
}

/** Reads and parses a response. */
export async function seen({ status, headers, body }: ApiResponse): Promise<Seen> {
  const named = new Map<string, string>();
  for (let at = 0; at < headers.length; at += 2) {
    const name = (headers[at] ?? '').toLowerCase();
    assert.ok(!named.has(name), `the field ${name} is sent twice`);
    assert.ok(isExposed(name), `the field ${name} is missing in RESPONSE_FIELDS`);
    named.set(name, headers[at + 1] ?? '');
  }
  const bytes = await collectBytes(body);
  const text = decoded(bytes, named.get('content-encoding') ?? 'identity');
  return { status, headers: named, bytes, text, body: isJson(named) ? JSON.parse(text) : {} };
}

/** True if pages of other origins may read a field (OPS-3). Every field of every response in the tests is checked. */
function isExposed(name: string): boolean {
  return EXPOSED.has(name) || name.startsWith('access-control-');
}

async function collectBytes(body: ApiResponse['body']): Promise<Uint8Array> {
  if (body === null || typeof body === 'string') return Buffer.from(body ?? '');
  if (body instanceof Uint8Array) return body;
  const pieces: string[] = [];
  for await (const piece of body) pieces.push(piece);
  return Buffer.from(pieces.join(''));
}

function decoded(bytes: Uint8Array, coding: string): string {
  const decoders: Readonly<Record<string, (coded: Uint8Array) => Uint8Array>> = {
    identity: (plain) => plain,
    br: brotliDecompressSync,
    gzip: gunzipSync,
    zstd: zstdDecompressSync,
  };
  const decode = decoders[coding];
  assert.ok(decode !== undefined, `unknown coding ${coding}`);
  return new TextDecoder().decode(decode(bytes));
}

function assertRow(row: ExchangeRow, got: Seen, events: readonly EventEnvelope[]): void {
  const where = `${row.send} answered ${got.status} ${got.text}`;
  assert.equal(got.status, row.status, where);
  for (const [name, wanted] of Object.entries(row.expectHeaders ?? {})) {
    if (isAuthenticated && DIFFERENT.has(name.toLowerCase())) continue;
    const value = got.headers.get(name.toLowerCase());
    if (wanted === null) assert.equal(value, undefined, `${name} must be absent: ${where}`);
    else if (typeof wanted === 'string') assert.equal(value, wanted, `${name}: ${where}`);
    else assert.match(value ?? '', wanted, `${name}: ${where}`);
  }
  if (row.expectBody !== undefined) assert.deepEqual(got.body, row.expectBody, where);
  for (const [name, wanted] of Object.entries(row.has ?? {}))
    assert.deepEqual(got.body[name], wanted, `${name}: ${where}`);
  assert.deepEqual(
    events.map(({ type }) => type),
    row.events ?? [],
    `events of ${where}`,
  );
}

/** One member of each object in an array. */
export function column(rows: readonly Readonly<Record<string, string>>[], name: string): readonly string[] {
  return rows.map((row) => row[name] ?? '');
}

function isJson(headers: ReadonlyMap<string, string>): boolean {
  return /[/+]json(?:;|$)/.test(headers.get('content-type') ?? '');
}
