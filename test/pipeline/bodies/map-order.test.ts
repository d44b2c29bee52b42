import assert from 'node:assert/strict';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { temporaryDirectory } from '../../temporary-directory.ts';
import { type ApiUnderTest, apiUnderTest } from '../support/api-under-test.ts';
import { create } from '../models/shop-model.ts';
import { storedEvents } from '../../../scripts/stored-events.ts';

const LAB = `
name: lab
version: 1.0.0
resources:
  bins:
    id: client
    events: full
    schema:
      type: object
      properties:
        parts: { type: object, additionalProperties: { type: integer } }
        lists: { type: array, items: { type: object, additionalProperties: { type: integer } } }
        dims: { type: object, properties: { deep: { type: object, additionalProperties: { type: object, additionalProperties: { type: integer } } } } }
  marks: { id: client, schema: { type: object, properties: { bin_id: { type: string, x-references: bins } } } }
`;

/** A map whose keys are, but for one, array indexes, and the order of their bytes. */
const PARTS = { b: 1, '10': 2, '7': 3, '-1': 4, '01': 5, '': 6, '4294967294': 7 };
const KEYS = ['', '-1', '01', '10', '4294967294', '7', 'b'];
const SENT = { id: 'a', parts: PARTS, lists: [PARTS], dims: { deep: { '9': PARTS, '10': {} } } };

const IN_JSON = `{${KEYS.map((key) => `"${key}":${PARTS[key as keyof typeof PARTS]}`).join(',')}}`;

async function lab(): Promise<ApiUnderTest> {
  const api = await apiUnderTest(LAB);
  await create(api, 'bins', SENT);
  return api;
}

function assertJson(text: string): void {
  assert.ok(text.includes(`"parts":${IN_JSON}`), text);
  assert.ok(text.includes(`"lists":[${IN_JSON}]`), text);
  assert.ok(text.includes(`"dims":{"deep":{"10":{},"9":${IN_JSON}}}`), text);
}

describe('the members of a map', () => {
  for (const [what, send, body] of [
    ['a resource', 'GET /api/v1/bins/a', undefined],
    ['a page', 'GET /api/v1/bins', undefined],
    ['a page of some fields', 'GET /api/v1/bins?fields=parts,lists,dims', undefined],
    ['an expansion', 'GET /api/v1/marks?expand=bin', undefined],
    ['POST', 'POST /api/v1/bins', { ...SENT, id: 'b' }],
    ['PUT', 'PUT /api/v1/bins/b', SENT],
    ['a patch', 'PATCH /api/v1/bins/a', { parts: { b: 1 } }],
    [
      'a batch',
      'POST /api/v1/batches',
      { operations: [{ method: 'POST', path: '/bins', body: { ...SENT, id: 'b' } }] },
    ],
  ] as const) {
    it(`[REP-1] are in the order of their keys in ${what}, also where these are array indexes`, async () => {
      await using api = await lab();
      await create(api, 'marks', { id: 'm', bin_id: 'a' });
      const { id, ...others } = { id: '', ...(body as object) };
      const given =
        body === undefined
          ? {}
          : {
              body: send.startsWith('PUT')
                ? others
                : { ...others, ...(send.startsWith('POST /api/v1/bins') ? { id } : {}) },
            };
      assertJson((await api.send({ send, ...given })).text);
    });
  }

  it('[REP-1] are in the order of their keys in NDJSON, CSV, XML and text', async () => {
    await using api = await lab();
    const as = async (type: string): Promise<string> =>
      (await api.row({ send: 'GET /api/v1/bins', headers: { Accept: type }, status: 200 })).text;
    assertJson(await as('application/x-ndjson'));
    assert.ok(
      (await as('text/csv')).includes(`a,"${IN_JSON.replaceAll('"', '""')}","[${IN_JSON.replaceAll('"', '""')}]"`),
    );
    const keysIn = (text: string, pattern: RegExp): string[] =>
      Array.from(text.matchAll(pattern), ([, key = '']) => key);
    const xml = (await as('application/xml')).replace(/.*<parts>|<\/parts>.*/gs, '');
    assert.deepEqual(keysIn(xml, /key="([^"]*)"/g), KEYS);
    assert.deepEqual(keysIn(await as('text/plain'), /^parts\.(.*): /gm), KEYS);
  });

  it('[REP-1] [EVT-2] are in the order of their keys in the event log', async (context) => {
    const database = path.join(temporaryDirectory(context), 'lab.db');
    await using api = await apiUnderTest(LAB, { database });
    await create(api, 'bins', SENT);
    assertJson(storedEvents(database)[0]?.json ?? '');
  });

  it('[REP-1] are in the order of their keys where an older version wrote them in another', async (context) => {
    const database = path.join(temporaryDirectory(context), 'lab.db');
    const before = await apiUnderTest(LAB, { database });
    await create(before, 'bins', { id: 'a', parts: {}, lists: [], dims: { deep: {} } });
    await before.close();
    const older = { b: 2, '10': 1, a: 3, '7': 4 };
    const connection = new DatabaseSync(database);
    connection
      .prepare('update bins set parts = ?, lists = ?, dims = ?')
      .run(JSON.stringify(older), JSON.stringify([older]), JSON.stringify({ deep: { z: older, y: {} } }));
    connection.close();
    await using api = await apiUnderTest(LAB, { database });
    await api.newEvents();
    const inOrder = '{"10":1,"7":4,"a":3,"b":2}';
    for (const send of ['GET /api/v1/bins/a', 'GET /api/v1/bins', 'GET /api/v1/bins?fields=parts,lists,dims']) {
      const { text } = await api.row({ send, status: 200 });
      assert.ok(text.includes(`"parts":${inOrder},"lists":[${inOrder}],"dims":{"deep":{"y":{},"z":${inOrder}}}`), text);
    }
    const xml = await api.row({ send: 'GET /api/v1/bins/a', headers: { Accept: 'application/xml' }, status: 200 });
    assert.match(xml.text, /<parts><entry key="10">1<.*?"7">.*?"a">.*?"b">2<\/entry><\/parts>/);
  });

  it('[CACHE-1] [REP-1] give one ETag, whatever the order of the request', async () => {
    await using api = await lab();
    const before = await api.row({ send: 'GET /api/v1/bins/a', status: 200 });
    const other = Object.fromEntries(Object.entries(PARTS).toReversed());
    await api.row({ send: 'PUT /api/v1/bins/a', body: { ...SENT, parts: other }, status: 200 });
    const after = await api.row({ send: 'GET /api/v1/bins/a', status: 200 });
    assert.equal(after.text, before.text);
    assert.equal(after.headers.get('etag'), before.headers.get('etag'));
  });

  it('[REP-1] are in the order of their keys in an export', async () => {
    await using api = await lab();
    const { writer } = api.api.csv('bins');
    for await (const rows of (await api.api.exportRows('bins')).pages)
      assert.ok(writer.rows(rows).includes(IN_JSON.replaceAll('"', '""')));
  });
});
