import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ApiUnderTest, apiUnderTest } from '../support/api-under-test.ts';
import { create } from '../models/shop-model.ts';

/** Request targets have at most 256 bytes here, so that the limit is within the 255 characters of an id. */
const DRIVE = `
name: drive
version: 1.0.0
limits: { target: 256B }
resources:
  folders: { id: client, schema: { type: object, properties: { text: { type: string } } } }
  files: { parent: folders, id: client, schema: { type: object, properties: { text: { type: string } } } }
  marks: { parent: files, id: client, schema: { type: object, properties: { text: { type: string } } } }
  notes: { parent: files, schema: { type: object, properties: { text: { type: string } } } }
`;

/** With `/api/v1/folders/` the longest target, and one byte more. */
const LONGEST = 'a'.repeat(256 - '/api/v1/folders/'.length);
const LONGER = `${LONGEST}a`;

const NDJSON = { 'Content-Type': 'application/x-ndjson' };

/** Ways to create a folder, each with its request and the place of the error in its response. */
const CREATING: readonly (readonly [
  way: string,
  request: (id: string) => { send: string; body: unknown; headers?: Record<string, string> },
  error: (response: string) => Record<string, unknown>,
])[] = [
  ['POST', (id) => ({ send: 'POST /api/v1/folders', body: { id } }), (text) => JSON.parse(text)],
  [
    'PUT without a version in its path',
    (id) => ({ send: `PUT /api/folders/${id}`, body: {} }),
    (text) => JSON.parse(text),
  ],
  [
    'a line of NDJSON',
    (id) => ({ send: 'POST /api/v1/folders', headers: NDJSON, body: JSON.stringify({ id }) }),
    (text) => JSON.parse(text)['error'],
  ],
  [
    'an atomic batch',
    (id) => ({
      send: 'POST /api/v1/batches',
      body: { atomic: true, operations: [{ method: 'POST', path: '/folders', body: { id } }] },
    }),
    (text) => JSON.parse(text),
  ],
  [
    'a batch',
    (id) => ({
      send: 'POST /api/v1/batches',
      body: { atomic: false, operations: [{ method: 'POST', path: '/folders', body: { id } }] },
    }),
    (text) => JSON.parse(text)['results'][0]['body'],
  ],
];

async function isReachable(api: ApiUnderTest, path: string): Promise<boolean> {
  return (await api.send({ send: `GET ${path}` })).status === 200;
}

describe('an id whose URL is too long to be requested', () => {
  for (const [way, request, error] of CREATING) {
    it(`[URL-3] is refused by ${way}, and the longest that can be requested is not`, async () => {
      await using api = await apiUnderTest(DRIVE);
      const refused = error((await api.send(request(LONGER))).text);
      assert.equal(refused['errorCode'], 'FOLDER_INVALID');
      const [detail, ...others] = refused['details'] as readonly { field: string; message: string }[];
      assert.match(detail?.field ?? '', /(?:^|\.)id$/);
      assert.equal(
        detail?.message,
        'would make a URL of 257 bytes, and no more than 256 can be requested; choose a shorter id',
      );
      assert.deepEqual(others, []);
      assert.deepEqual(await api.newEvents(), []);
      assert.ok((await api.send(request(LONGEST))).status < 300);
      assert.ok(await isReachable(api, `/api/v1/folders/${LONGEST}`));
    });
  }

  it('[URL-3] is refused by an import', async () => {
    await using api = await apiUnderTest(DRIVE);
    assert.equal((await api.api.importRows('folders', [{ id: LONGEST }])).kind, 'stored');
    const outcome = await api.api.importRows('folders', [{ id: 'b' }, { id: LONGER }]);
    assert.ok(outcome.kind === 'refused');
    assert.deepEqual(
      outcome.errors.map(({ row, details }) => [row, details[0]?.field]),
      [[1, 'id']],
    );
  });

  it('[URL-3] [URL-9] counts three bytes for each byte that is percent-encoded', async () => {
    await using api = await apiUnderTest(DRIVE);
    for (const [id, status] of [
      ['é'.repeat(40), 201],
      ['é'.repeat(41), 400],
      ['/'.repeat(80), 201],
      ['/'.repeat(81), 400],
    ] as const) {
      const events = status === 201 ? ['folder.created'] : [];
      await api.row({ send: 'POST /api/v1/folders', body: { id }, status, events });
    }
  });

  it('[URL-3] [URL-7] counts the ids of all rows above it', async () => {
    await using api = await apiUnderTest(DRIVE);
    const folder = 'f'.repeat(100);
    await create(api, 'folders', { id: folder });
    await create(api, `folders/${folder}/files`, { id: 'x' });
    const files = `/api/v1/folders/${folder}/files`;
    const longest = 'm'.repeat(256 - `${files}/x/marks/`.length);
    const marks = { send: `POST ${files}/x/marks`, events: ['mark.created'] };
    await api.row({ ...marks, body: { id: longest }, status: 201 });
    assert.ok(await isReachable(api, `${files}/x/marks/${longest}`));
    const { body } = await api.row({ ...marks, body: { id: `${longest}m` }, status: 400, events: [] });
    assert.equal(body['details'][0]['field'], 'id');
    const put = { send: `PUT /api/folders/${folder}/files/x/marks/${longest}m`, body: {} };
    await api.row({ ...put, status: 400, has: { details: body['details'] } });
  });

  it('[URL-3] is refused below long ids where the server makes it, too', async () => {
    await using api = await apiUnderTest(DRIVE);
    await create(api, 'folders', { id: 'f'.repeat(100) });
    const files = `folders/${'f'.repeat(100)}/files`;
    for (const [length, status] of [
      [90, 201],
      [91, 400],
    ] as const) {
      await create(api, files, { id: 'x'.repeat(length) });
      const send = `POST /api/v1/${files}/${'x'.repeat(length)}/notes`;
      const { headers, body } = await api.row({
        send,
        body: {},
        status,
        events: status === 201 ? ['note.created'] : [],
      });
      if (status === 201) assert.ok(await isReachable(api, headers.get('location') ?? ''));
      else assert.match(body['details'][0]['message'], /shorter ids/);
    }
  });
});
