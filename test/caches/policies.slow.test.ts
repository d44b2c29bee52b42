import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { skipWithout } from '../installed-programs.ts';
import { cacheNames, cachePrograms, startCacheServers, type CacheServers } from './cache-servers.ts';
import { comparable, decodeText } from './comparable.ts';
import { type CallerName, callerNames, CREDENTIALS, MARKERS, PRESS, ROWS, TENANT } from './press-model.ts';
import { type ReceivedResponse, type RequestToSend, sendRequest } from './send-request.ts';

/** A request that any caller can send. */
type Question = RequestToSend & { readonly headers: Readonly<Record<string, string>> };

const VARIANTS: readonly Question['headers'][] = [
  {},
  { 'Accept-Encoding': 'gzip' },
  { Accept: 'application/xml', 'Accept-Encoding': 'br' },
  { Accept: 'text/csv, application/json;q=0.1' },
  { Prefer: 'handling=lenient' },
];

/** Every caller gets the same of these. */
const PUBLIC = ['topics', 'topics/x', 'topics?fields=name&limit=1', 'topics?sort=-id', 'offers', 'offers/live'];

const DIFFERENT = [
  'articles',
  'articles?limit=2',
  'articles?page=2&limit=1',
  'articles?offset=1&limit=2&include_total=false',
  'articles?last_id=acme-draft',
  'articles?include_total=true&limit=1',
  'articles?tenant=acme',
  'articles?status=DRAFT&include_total=true',
  'articles?q=word&sort=-id',
  'articles?fields=text',
  'articles?fields=cost',
  'articles?sort=cost',
  'articles?cost[exists]=true',
  'articles?any[1][tenant]=acme&any[2][tenant]=byte',
  'articles?expand=topic,comments',
  'articles?topic.name=Sports',
  'articles/acme-live',
  'articles/acme-draft',
  'articles/byte-draft?expand=comments',
  'articles/byte-live?expand=topic.articles',
  'articles/acme-draft/comments',
  'articles/acme-live/comments/c',
  'articles/byte-draft/comments/c',
  'articles/absent',
  'topics?expand=articles',
  'topics/x?expand=articles.comments',
  'topics?articles.tenant=acme',
  'topics?articles.status=DRAFT&include_total=true',
  'topics?articles.cost=cost-for-nobody',
  'offers/over',
  'labels',
  'labels/acme',
  'labels/byte',
  'ledgers',
  'ledgers/acme',
  'ledgers?fields=cost',
  'notes',
  'notes?include_total=true',
  'notes/ann',
  'notes/bob',
];

const as = (caller: CallerName, { send, headers, body }: Question): RequestToSend => ({
  send,
  headers: { ...headers, ...CREDENTIALS[caller] },
  ...(body === undefined ? {} : { body }),
});
const question = (send: string, headers: Question['headers'] = {}): Question => ({ send, headers });
/** Lenient requests are excluded: another caller might get something else. */
const isPublic = ({ send, headers }: Question): boolean =>
  PUBLIC.includes(send.split('/api/v1/')[1] ?? '') && headers['Prefer'] === undefined;
const skip = skipWithout(...cachePrograms);

/** The markers in a response. @throws {AssertionError} where there is one that the caller may not get */
function findMarkers(caller: CallerName, response: ReceivedResponse, { send }: RequestToSend): readonly string[] {
  const text = decodeText(response) + JSON.stringify(response.headers);
  assert.ok(!text.includes('secret-of-nobody'), send);
  const found = Object.keys(MARKERS).filter((marker) => text.includes(marker));
  for (const marker of found) assert.ok(MARKERS[marker]?.includes(caller), `${marker} for ${caller}: ${send}`);
  return found;
}

describe('callers who see different rows and fields behind one shared cache', { skip }, () => {
  let servers: CacheServers;
  /** Cursors of the callers: each is requested by all. */
  const cursors: string[] = [];
  const direct = (request: RequestToSend): Promise<ReceivedResponse> => sendRequest(servers.origin, request);

  before(async () => {
    servers = await startCacheServers(PRESS);
    for (const [caller, collection, body] of ROWS) {
      const request = { ...question(`POST /api/v1/${collection}`), body };
      const { status, bytes } = await direct(as(caller, request));
      assert.equal(status, 201, bytes.toString());
    }
    const last = question('HEAD /api/v1/labels/all');
    while ((await direct(as('ann', last))).headers['last-modified'] === undefined) await pause(50);
    for (const caller of callerNames) {
      const page = await direct(as(caller, question('GET /api/v1/articles?limit=1')));
      cursors.push(JSON.parse(page.bytes.toString()).page.next_cursor);
    }
  });
  after(() => servers[Symbol.asyncDispose]());

  const questions = (): readonly Question[] => [
    ...[...PUBLIC, ...DIFFERENT, ...cursors.map((cursor) => `articles?limit=1&after=${cursor}`)].flatMap((target) =>
      VARIANTS.flatMap((headers) =>
        (headers === VARIANTS[0] ? ['HEAD', 'GET'] : ['GET']).map((method) =>
          question(`${method} /api/v1/${target}`, headers),
        ),
      ),
    ),
    ...[{}, { Accept: 'text/html' }].map((headers) => question('GET /api/v1', headers)),
    ...['articles', 'articles/acme-live', 'topics?expand=articles'].flatMap((target) =>
      ['1', '1.4'].map((version) => question(`GET /api/${target}`, { 'API-Version': version })),
    ),
    ...['', 'tenant=acme', 'fields=text&include_total=true', 'cost[exists]=true'].map((body) => ({
      ...question('QUERY /api/v1/articles', { 'Content-Type': 'application/x-www-form-urlencoded' }),
      body,
    })),
  ];

  it('[CACHE-1] [CACHE-5] [CACHE-6a] [AUTH-5a] get what is public only where all get the same, and no ETag of other bytes', async () => {
    const seen = new Set<string>();
    for (const each of questions()) {
      const shared: object[] = [];
      const all: object[] = [];
      const byETag = new Map<string, string>();
      for (const caller of callerNames) {
        const response = await direct(as(caller, each));
        for (const marker of findMarkers(caller, response, each)) seen.add(`${marker} ${caller}`);
        all.push(comparable(response));
        if (/public/.test(response.headers['cache-control'] ?? '')) shared.push(comparable(response));
        const { etag } = response.headers;
        const text = response.bytes.toString('latin1');
        if (etag !== undefined) assert.equal(byETag.getOrInsert(etag, text), text, `${etag} of ${each.send}`);
      }
      if (shared.length > 0) for (const other of all) assert.deepEqual(other, shared[0], each.send);
      assert.equal(shared.length > 0, isPublic(each), each.send);
    }
    const allowed = Object.entries(MARKERS).flatMap(([marker, callers]) => callers.map((each) => `${marker} ${each}`));
    assert.deepEqual([...seen].toSorted(), allowed.toSorted(), 'each caller sees what it may see');
  });

  for (const name of cacheNames) {
    describe(`which is ${name}`, () => {
      const cached = (request: RequestToSend): Promise<ReceivedResponse> => sendRequest(servers.caches[name], request);

      /** Compares a cached response with that of the server. Only public ones may be shared. */
      async function compare(caller: CallerName, each: Question): Promise<ReceivedResponse> {
        const response = await cached(as(caller, each));
        assert.deepEqual(comparable(response), comparable(await direct(as(caller, each))), `${caller}: ${each.send}`);
        findMarkers(caller, response, each);
        const isShared = /public/.test(response.headers['cache-control'] ?? '');
        if (!isShared) assert.notEqual(response.headers['x-cache'], 'HIT', `${caller}: ${each.send}`);
        return response;
      }

      it('[CACHE-6a] [AUTH-5a] get their own response, whoever requested it before', async () => {
        const all = questions().flatMap((each) => callerNames.map((caller) => ({ caller, each })));
        const expected = new Map<object, object>();
        for (const one of all) expected.set(one, comparable(await direct(as(one.caller, one.each))));
        const check = async (one: { readonly caller: CallerName; readonly each: Question }): Promise<number> => {
          const { caller, each } = one;
          const response = await cached(as(caller, each));
          assert.deepEqual(comparable(response), expected.get(one), `${caller}: ${each.send}`);
          findMarkers(caller, response, each);
          const isHit = response.headers['x-cache'] === 'HIT';
          if (isHit) assert.match(response.headers['cache-control'] ?? '', /public/, each.send);
          return isHit ? 1 : 0;
        };
        // All callers concurrently with an empty cache, then one after another, then each caller by itself.
        await Promise.all(all.map(check));
        for (const one of all.toReversed()) await check(one);
        let hits = 0;
        for (const caller of callerNames)
          for (const one of all.filter((each) => each.caller === caller)) hits += await check(one);
        assert.equal(hits, all.filter(({ each }) => isPublic(each)).length, 'all that is public is in the cache');
      });

      it('[CACHE-2] [CACHE-6a] get 304 for the ETag of another caller only where they would get the same bytes', async () => {
        for (const target of [...PUBLIC, ...DIFFERENT]) {
          for (const headers of VARIANTS.slice(0, 3)) {
            const each = question(`GET /api/v1/${target}`, headers);
            const own = new Map<CallerName, ReceivedResponse>();
            for (const caller of callerNames) own.set(caller, await cached(as(caller, each)));
            const etags = [...new Set([...own.values()].flatMap(({ headers: { etag } }) => etag ?? []))];
            for (const [caller, response] of own) {
              for (const etag of etags) {
                const known = question(each.send, { ...headers, 'If-None-Match': `W/"0", ${etag}` });
                const { status } = await compare(caller, known);
                const isSame = response.headers['etag'] === etag;
                assert.equal(status, isSame ? 304 : response.status, `${caller}: ${each.send}`);
              }
            }
          }
        }
      });

      it('[CACHE-6a] [AUTH-5a] get what another caller has just written only where they see it', async () => {
        const targets = ['articles', 'labels', 'ledgers', 'topics?expand=articles', 'articles?include_total=true'];
        for (const [index, writer] of (['ann', 'bob', 'ana', 'bob', 'ann'] as const).entries()) {
          const tenant = TENANT[writer] ?? '';
          const stamp = `secret-of-${tenant} by ${writer} ${name} ${index}`;
          for (const row of [`articles/${tenant}-draft`, `labels/${tenant}`, `ledgers/${tenant}`]) {
            for (const caller of callerNames) await compare(caller, question(`GET /api/v1/${row}`));
            const patch = { ...question(`PATCH /api/v1/${row}`), body: { text: stamp } };
            assert.equal((await cached(as(writer, patch))).status, 200);
            for (const reader of [...callerNames, ...callerNames.toReversed()]) {
              for (const target of [row, ...targets, `${row}?fields=text`]) {
                const response = await compare(reader, question(`GET /api/v1/${target}`));
                const isOfRow = target.startsWith(row);
                const sees = isOfRow && TENANT[reader] === tenant;
                if (isOfRow) assert.equal(decodeText(response).includes(stamp), sees, `${reader}: ${target}`);
              }
            }
          }
        }
      });

      it('[CACHE-6a] [AUTH-5b] no longer get what another caller has hidden, moved or deleted', async () => {
        const row = 'articles/byte-live';
        const targets = [row, `${row}/comments/c`, 'articles?include_total=true', 'topics/x?expand=articles'];
        const read = async (): Promise<readonly number[]> => {
          const statuses: number[] = [];
          for (const caller of ['ann', 'anonymous', 'bob'] as const)
            for (const target of targets)
              statuses.push((await compare(caller, question(`GET /api/v1/${target}`))).status);
          return statuses;
        };
        const write = async (caller: CallerName, send: string, body?: object): Promise<number> => {
          const request = question(send.replace(' ', ' /api/v1/'));
          return (await cached(as(caller, body === undefined ? request : { ...request, body }))).status;
        };
        const [seen, hidden] = [
          [200, 200, 200, 200],
          [404, 404, 200, 200],
        ];
        assert.deepEqual(await read(), [seen, seen, seen].flat());
        assert.equal(await write('ann', `PATCH ${row}`, { status: 'DRAFT' }), 403);
        assert.equal(await write('bob', `PATCH ${row}`, { status: 'DRAFT' }), 200);
        assert.deepEqual(await read(), [hidden, hidden, seen].flat());
        assert.equal(await write('ann', `PATCH ${row}`, { status: 'LIVE' }), 404);
        assert.equal(await write('bob', `PATCH ${row}`, { status: 'LIVE' }), 200);
        assert.deepEqual(await read(), [seen, seen, seen].flat());
        assert.equal(await write('bob', `DELETE ${row}`), 204);
        assert.deepEqual(await read(), [hidden, hidden, hidden].flat());
        const again = ROWS.filter(
          ([, path, body]) => path === `${row}/comments` || JSON.stringify(body).includes('byte-live'),
        );
        for (const [caller, collection, body] of again)
          assert.equal(await write(caller, `POST ${collection}`, body), 201);
      });

      it('[MET-12] [MET-13] [CACHE-6a] get no batch and no replay of another caller', async () => {
        const headers = { 'Idempotency-Key': `"${name}"` };
        const operations = [{ method: 'PATCH', path: '/notes/absent', body: { text: 'x' } }];
        const locations = new Map<CallerName, string>();
        for (const caller of ['ann', 'bob', 'ana', 'ann'] as const) {
          const own = { method: 'PATCH', path: `/notes/${caller}`, body: { text: `owned-by-${caller} again` } };
          const body = { atomic: false, operations: [own, ...operations] };
          const response = await cached(as(caller, { ...question('POST /api/v1/batches', headers), body }));
          assert.deepEqual(findMarkers(caller, response, { send: 'a batch' }), [`owned-by-${caller}`]);
          assert.equal(response.headers['cache-control'], 'no-store');
          assert.equal(response.headers['idempotent-replayed'] === 'true', locations.has(caller));
          locations.set(caller, response.headers['location'] ?? '');
        }
        for (const [owner, location] of locations)
          for (const reader of [...callerNames, ...callerNames.toReversed()]) {
            const { status } = await compare(reader, question(`GET ${location}`));
            assert.equal(status === 200, reader === owner);
          }
      });

      it('[CACHE-6a] [CACHE-5] are all served from the cache what is public', async () => {
        for (const target of PUBLIC) {
          // A purge of Varnish by a write empties it.
          await cached(as('eve', question(`GET /api/v1/${target}`)));
          for (const caller of [...callerNames, ...callerNames.toReversed()]) {
            const response = await compare(caller, question(`GET /api/v1/${target}`));
            assert.equal(response.headers['x-cache'], 'HIT', `${caller}: ${target}`);
          }
        }
      });
    });
  }
});
