import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defineModel, resource } from '../../../src/model/typescript/define-model.ts';
import type { DefinedModel } from '../../../src/model/typescript/define-model.ts';
import type { Observation } from '../../../src/observe/observation.ts';
import { type ApiUnderTest, apiUnderTest } from '../support/api-under-test.ts';
import { create } from '../models/shop-model.ts';

/** Notes with a number that is computed from their text, which `bad` makes fail; and marks that refer to them. */
function notes(value: (text: string) => unknown, schema: object = { type: 'integer' }): DefinedModel {
  return defineModel({
    name: 'desk',
    resources: {
      notes: resource({
        id: 'client',
        schema: { type: 'object', required: ['text'], properties: { text: { type: 'string' } } },
        computed: {
          made: { schema, from: ['text'], value: ({ text }) => (text === 'bad' ? value(text) : text.length) },
        },
      }),
      marks: resource({
        id: 'client',
        schema: { type: 'object', properties: { note_id: { type: 'string', 'x-references': 'notes' } } },
      }),
    },
  });
}

/** A page of three notes, of which the second cannot be computed. */
async function withBadRow(value: (text: string) => unknown, schema?: object): Promise<ApiUnderTest> {
  const desk = await apiUnderTest(notes(value, schema));
  for (const [id, text] of [
    ['a', 'one'],
    ['b', 'bad'],
    ['c', 'three'],
  ])
    await create(desk, 'notes', { id, text });
  return desk;
}

function failures({ observations }: ApiUnderTest): readonly Extract<Observation, { kind: 'computed-value-failed' }>[] {
  return observations.filter((each) => each.kind === 'computed-value-failed');
}

function throwing(thrown: unknown): () => never {
  return () => {
    throw thrown;
  };
}

const CYCLE: Record<string, unknown> = {};
CYCLE['self'] = CYCLE;
const INTEGER = /must be an integer, not/;

const WRONG: readonly (readonly [what: string, value: () => unknown, reason: RegExp, shown: string | null])[] = [
  ['throws', throwing(new RangeError('too far')), /^RangeError: too far$/, null],
  ['throws what is no error', throwing('secret'), /^a value of type string was thrown$/, null],
  ['recurses without end', () => endless(1), /^RangeError/, null],
  ['returns another type', () => 'text', INTEGER, "'text'"],
  ['returns a fraction', () => 1.5, INTEGER, '1.5'],
  ['returns NaN', () => Number.NaN, INTEGER, 'NaN'],
  ['returns an infinite number', () => Number.POSITIVE_INFINITY, INTEGER, 'Infinity'],
  ['returns a bigint', () => 10n, /BigInt/, '10n'],
  ['returns nothing', () => undefined, /is required|not null/, 'undefined'],
  ['returns null', () => null, /is required|not null/, 'null'],
  ['returns a function', () => () => 1, /of type function is not valid in JSON/, '[Function (anonymous)]'],
  ['returns a symbol', () => Symbol('s'), /of type symbol is not valid in JSON/, 'Symbol(s)'],
  ['returns a promise', async () => Promise.resolve(1), /synchronously/, null],
  ['returns a promise that is rejected', async () => Promise.reject(new Error('no')), /synchronously/, null],
  ['returns a cycle', () => CYCLE, /circular|cyclic/, null],
];

function endless(depth: number): number {
  return endless(depth + 1) + 1;
}

describe('a computed member whose function', () => {
  for (const [what, value, reason, shown] of WRONG) {
    it(`[REP-4] ${what} is null in that row, and the log names the row`, async () => {
      await using desk = await withBadRow(value);
      const { body } = await desk.row({ send: 'GET /api/v1/notes', status: 200 });
      assert.deepEqual(
        body['data'].map((row: Record<string, unknown>) => [row['id'], row['made']]),
        [
          ['a', 3],
          ['b', null],
          ['c', 5],
        ],
      );
      const failure = failures(desk).at(-1);
      assert.ok(failure !== undefined);
      assert.deepEqual([failure.resource, failure.id, failure.field], ['notes', 'b', 'made']);
      assert.match(failure.reason, reason);
      if (shown !== null) assert.equal(failure.value, shown);
      assert.equal(
        failures(desk).every(({ id }) => id === 'b'),
        true,
      );
      assert.ok(desk.observations.every(({ kind }) => kind !== 'error'));
    });
  }

  it('[REP-4] fails is null in every format, in expansions, exports, writes and batches', async () => {
    await using desk = await withBadRow(throwing(new Error('no')));
    for (const [accept, wanted] of [
      ['application/xml', /<made xsi:nil="true"\/>/],
      ['text/plain', /^made: $/m],
      ['text/csv', /^b,bad,,/m],
      ['application/x-ndjson', /"id":"b","text":"bad","made":null/],
    ] as const) {
      const { text } = await desk.row({ send: 'GET /api/v1/notes', headers: { Accept: accept }, status: 200 });
      assert.match(text, wanted);
    }
    await desk.row({ send: 'GET /api/v1/notes/b?fields=made', status: 200, has: { made: null } });
    await create(desk, 'marks', { id: 'm', note_id: 'b' });
    const { body } = await desk.row({ send: 'GET /api/v1/marks?expand=note', status: 200 });
    assert.equal(body['data'][0]['note']['made'], null);
    const events = ['note.created'];
    await desk.row({ send: 'PUT /api/v1/notes/d', body: { text: 'bad' }, status: 201, has: { made: null }, events });
    const operations = [{ method: 'POST', path: '/notes', body: { id: 'e', text: 'bad' } }];
    const batch = await desk.row({ send: 'POST /api/v1/batches', body: { operations }, status: 201, events });
    assert.equal(batch.body['results'][0]['body']['made'], null);
    const exported: unknown[] = [];
    for await (const rows of (await desk.api.exportRows('notes')).pages)
      exported.push(...rows.map((row) => row['made']));
    assert.deepEqual(exported, [3, null, 5, null, null]);
  });

  it('[CACHE-1] [CACHE-2] fails keeps the ETag and is computed once for a cached row', async () => {
    await using desk = await withBadRow(throwing(new Error('no')));
    const first = await desk.row({ send: 'GET /api/v1/notes/b', status: 200 });
    await desk.row({ send: 'GET /api/v1/notes/b', status: 200 });
    const before = failures(desk).length;
    const etag = first.headers.get('etag') ?? '';
    const again = await desk.row({ send: 'GET /api/v1/notes/b', status: 200 });
    assert.equal(again.headers.get('etag'), etag);
    await desk.row({ send: 'GET /api/v1/notes/b', headers: { 'If-None-Match': etag }, status: 304 });
    assert.equal(failures(desk).length, before);
  });

  it('[REP-4] returns a wrong member is null as a whole', async () => {
    const schema = { type: 'object', properties: { a: { type: 'number' }, b: { type: 'string' } } };
    await using desk = await withBadRow(() => ({ a: Number.NaN }), schema);
    await desk.row({ send: 'GET /api/v1/notes/b', status: 200, has: { made: null } });
    assert.match(failures(desk).at(-1)?.reason ?? '', /NaN is not valid in JSON/);
  });

  it('[REP-7] cuts a text within a character returns valid JSON', async () => {
    const schema = { type: 'object', properties: { start: { type: 'string' } } };
    await using desk = await withBadRow(() => ({ start: '\u{1F4A9}'.slice(0, 1) }), schema);
    await desk.row({ send: 'GET /api/v1/notes/b', status: 200, has: { made: { start: '\u{FFFD}' } } });
  });

  it('[OPS-2d] returns a long value has its beginning in the log', async () => {
    await using desk = await withBadRow(() => 'x'.repeat(100_000));
    await desk.row({ send: 'GET /api/v1/notes/b', status: 200 });
    assert.ok(failures(desk).every(({ value, reason }) => (value?.length ?? 0) < 110 && reason.length < 110));
  });
});
