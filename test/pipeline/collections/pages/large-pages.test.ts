import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { RawRequest } from '../../../../src/exchange/handler.ts';
import { type ApiUnderTest, apiUnderTest, START } from '../../support/api-under-test.ts';

const DESK = `
name: desk
version: 1.0.0
resources:
  notes:
    id: client
    schema:
      type: object
      properties:
        text: { type: string }
        rank: { type: integer }
        tags: { type: array, items: { type: string } }
        labels: { type: object, additionalProperties: { type: string } }
`;

const ITEMS = 30;
const FORMATS = ['application/json', 'application/xml', 'text/csv', 'text/plain', 'application/x-ndjson'] as const;
const HOSTS = ['Host', 'localhost'];

/** Notes of which one page of all is written in slices: it takes more than one, whatever the machine. */
async function largeDesk(): Promise<ApiUnderTest> {
  const desk = await apiUnderTest(DESK);
  const at = new Date(START).toISOString();
  const rows = Array.from({ length: ITEMS }, (_, index) => ({
    id: `n${String(index).padStart(2, '0')}`,
    text: `"é",\u{1f600}&\n=${index}`.repeat(1_000),
    tags: Array.from({ length: 1_000 }, (_tag, tag) => `${tag % 7 === 0 ? ' "' : ''}${tag}`),
    labels: Object.fromEntries(Array.from({ length: 2_000 }, (_label, key) => [`${(key * 7_919) % 10_007}`, 'v'])),
    created_at: at,
    updated_at: at,
  }));
  const outcome = await desk.api.importRows('notes', rows);
  assert.equal(outcome.kind, 'stored', JSON.stringify(outcome));
  return desk;
}

function list(parameters: string, more: Partial<RawRequest> = {}, accept = 'application/json'): RawRequest {
  const headers = [...HOSTS, 'Accept', accept];
  const target = `/api/v1/notes?${parameters}`;
  return { method: 'GET', target, headers, body: null, httpVersion: '1.1', peer: '127.0.0.1', ...more };
}

/** Extracts the text of the items from a page, in each format. */
const ITEMS_OF: Readonly<Record<(typeof FORMATS)[number], (page: string) => string>> = {
  'application/json': (page) => page.slice('{"data":['.length, page.lastIndexOf('],"page":{')),
  'application/xml': (page) => page.slice(page.indexOf('<data>') + '<data>'.length, page.lastIndexOf('</data>')),
  'text/csv': (page) => page.slice(page.indexOf('\r\n') + '\r\n'.length),
  'text/plain': (page) => page,
  'application/x-ndjson': (page) => page,
};
const SEPARATORS: Readonly<Record<string, string>> = { 'application/json': ',', 'text/plain': '\n' };

describe('a large page', () => {
  let desk: ApiUnderTest;
  before(async () => {
    desk = await largeDesk();
  });
  after(() => desk.close());

  for (const accept of FORMATS) {
    it(`[LIM-1] [NEG-1] has the bytes of its items as pages of one item have them: ${accept}`, async () => {
      const get = async (parameters: string): Promise<string> =>
        (await desk.send({ send: `GET /api/v1/notes?${parameters}`, headers: { Accept: accept } })).text;
      const items: string[] = [];
      for (let offset = 0; offset < ITEMS; offset += 1) {
        items.push(ITEMS_OF[accept](await get(`sort=id&limit=1&offset=${offset}`)));
      }
      const separator = SEPARATORS[accept] ?? '';
      assert.equal(ITEMS_OF[accept](await get('sort=id&limit=100&offset=0')), items.join(separator));
      const reversed = items.toReversed().join(separator);
      assert.equal(ITEMS_OF[accept](await get('sort=-id&limit=100&offset=0')), reversed);
    });
  }

  it('[LIM-1] is written in slices, and a small one in the tick of its request', async () => {
    let slices = 0;
    const count = (): void => {
      slices += 1;
      timer = setImmediate(count);
    };
    let timer = setImmediate(count);
    const large = desk.api.handle(list('limit=100'));
    assert.ok(large instanceof Promise);
    assert.equal((await large).status, 200);
    clearImmediate(timer);
    assert.ok(slices > 3, `${slices} slices`);
    assert.ok(!(desk.api.handle(list('limit=1')) instanceof Promise));
  });

  it('[LIM-1] is not written further once its client has gone', async () => {
    const client = { destroyed: false };
    const page = desk.api.handle(list('limit=100', { client }));
    client.destroyed = true;
    assert.equal((await page).status, 400);
    const [seen] = desk.observations.filter(({ kind }) => kind === 'request').slice(-1);
    assert.equal(seen?.kind === 'request' && seen.errorCode, 'REQUEST_MALFORMED');
  });

  it('[CACHE-2] shows the rows as they were read, under an ETag that a write meanwhile does not get', async () => {
    await using written = await largeDesk();
    const early = written.api.handle(list('limit=100'));
    const headers = { 'Content-Type': 'application/merge-patch+json' };
    const write = await written.send({ send: 'PATCH /api/v1/notes/n29', headers, body: { text: 'changed' } });
    assert.equal(write.status, 200, write.text);
    const read = await early;
    const etagOf = (all: readonly string[]): string | undefined => all[all.indexOf('ETag') + 1];
    for (const repetition of [1, 2, 3]) {
      const again = await written.api.handle(list('limit=100'));
      assert.notEqual(etagOf(again.headers), etagOf(read.headers));
      assert.ok(again.body instanceof Uint8Array);
      assert.match(Buffer.from(again.body).toString(), /"text":"changed"/, `repetition ${repetition}`);
    }
  });

  it('[MET-5] has the length for HEAD that it has for GET', async () => {
    const [get, head] = [
      await desk.api.handle(list('limit=100')),
      await desk.api.handle(list('limit=100', { method: 'HEAD' })),
    ];
    assert.ok(get.body instanceof Uint8Array && head.body instanceof Uint8Array);
    assert.deepEqual([head.body.length, head.status], [get.body.length, 200]);
  });
});
