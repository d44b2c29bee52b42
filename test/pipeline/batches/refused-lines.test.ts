import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { describe, it } from 'node:test';
import { apiUnderTest, type ApiUnderTest, type Seen } from '../support/api-under-test.ts';

const MODEL = `
name: shop
resources:
  notes: { id: client, schema: { type: object, properties: { text: { type: string } } } }
`;
/** A quota of so many lines that each unit is seen. */
const LIMITED = `${MODEL}limits: { rate: { requests: 50, per: 60s } }\n`;

interface Line {
  readonly line?: number;
  readonly status?: number;
  readonly error?: { readonly errorCode: string; readonly errorMessage: string };
}

function readLines({ text }: Seen): readonly Line[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}

function post(api: ApiUnderTest, body: string | Uint8Array, headers: Readonly<Record<string, string>> = {}) {
  return api.send({
    send: 'POST /api/v1/notes',
    headers: { 'Content-Type': 'application/x-ndjson', ...headers },
    body,
  });
}

const valid = (index: number): string => `{"id":"n${index}"}`;

describe('refused lines in a row', () => {
  const faulty: readonly (readonly [name: string, line: string])[] = [
    ['not JSON', 'x'],
    ['invalid', '{"id":"a","unknown":1}'],
    ['without an id', '{}'],
  ];
  for (const [name, line] of faulty) {
    it(`[MET-13] end the stream after 1,000 with an error line: ${name}`, async () => {
      await using api = await apiUnderTest(MODEL);
      const seen = await post(api, `${line}\n`.repeat(5_000) + valid(0));
      assert.equal(seen.status, 200);
      const lines = readLines(seen);
      assert.equal(lines.length, 1_001);
      assert.deepEqual(new Set(lines.slice(0, -1).map(({ status }) => status)), new Set([400]));
      const { line: last, error } = lines.at(-1) ?? assert.fail();
      assert.deepEqual([last, error?.errorCode], [undefined, 'REQUEST_BODY_MALFORMED']);
      assert.match(error?.errorMessage ?? '', /line 1000 is the last one that was read/);
      assert.deepEqual(await api.newEvents(), []);
    });
  }

  it('[MET-13] of a small gzip body have a small answer', async () => {
    await using api = await apiUnderTest(MODEL);
    const body = gzipSync('x\n'.repeat(500_000), { level: 9 });
    assert.ok(body.length < 1_500, String(body.length));
    const seen = await post(api, body, { 'Content-Encoding': 'gzip' });
    assert.equal(readLines(seen).length, 1_001);
    assert.ok(seen.bytes.length < 400_000, String(seen.bytes.length));
  });

  it('[MET-13] count from the last line that was written, which is always reported', async () => {
    await using api = await apiUnderTest(MODEL);
    const rows = [...Array<string>(999).fill('x'), valid(1), ...Array<string>(999).fill('x'), ' ', valid(2)];
    const body = [...rows, ...Array<string>(1_000).fill('x'), valid(3)].join('\n');
    const lines = readLines(await post(api, body));
    assert.equal(lines.length, 999 + 1 + 999 + 1 + 1_000 + 1);
    assert.deepEqual(
      lines.filter(({ status }) => status === 201).map(({ line }) => line),
      [1_000, 2_001],
    );
    assert.match(lines.at(-1)?.error?.errorMessage ?? '', /line 3001 is the last/);
    assert.equal((await api.newEvents()).length, 2);
  });

  it('[MET-13] are no limit where others are between them', async () => {
    await using api = await apiUnderTest(MODEL);
    const body = Array.from({ length: 3_000 }, (_, index) => (index % 2 === 0 ? 'x' : valid(index))).join('\n');
    assert.equal(readLines(await post(api, body)).length, 3_000);
  });

  for (const [name, line] of [
    ['faulty', 'x'],
    ['blank', ' '],
    ['valid', null],
  ] as const) {
    it(`[LIM-2a] take one request of the quota for 100 lines: ${name}`, async () => {
      await using api = await apiUnderTest(LIMITED);
      const body = Array.from({ length: 900 }, (_, index) => line ?? valid(index)).join('\n');
      await post(api, body);
      const { headers } = await api.send({ send: 'GET /api/v1/notes' });
      // 9 for the lines, of which the request itself is the first, and one for this one.
      assert.match(headers.get('ratelimit') ?? '', /;r=40;/);
    });
  }
});
