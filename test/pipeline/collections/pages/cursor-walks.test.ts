import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { type ApiUnderTest, apiUnderTest, type Seen } from '../../support/api-under-test.ts';
import { create, parseIds } from '../../models/shop-model.ts';
import { runs } from '../../../extent.ts';

/** Rows with every type of value, ties and nulls. */
const KINDS = `
name: kinds
version: 1.0.0
resources:
  rows:
    id: client
    schema:
      type: object
      properties:
        text: { type: string }
        number: { type: number }
        truth: { type: boolean }
        money: { type: string, format: decimal }
        big: { type: string, format: int64 }
        at: { type: string, format: date-time }
        part: { type: object, properties: { name: { type: string } } }
`;

/** Compares values, null first (PAGE-5, QRY-7). */
const ORDERS: readonly (readonly [path: string, values: readonly unknown[]])[] = [
  ['text', [null, '', 'A', 'Z', 'a', 'a\u0301', 'z', 'é', '\uFFFD', '😀']],
  ['number', [null, -1e300, -1.5, -1, 0, 1e-300, 1, 1.5, 2, 10, 1e300]],
  ['truth', [null, false, true]],
  ['money', [null, '-100', '-9.5', '-9.49', '0', '0.001', '9', '10', '99999999999999999999.5']],
  ['big', [null, '-9223372036854775808', '-10', '-9', '0', '9', '10', '9007199254740993', '9223372036854775807']],
  [
    'at',
    [null, '1969-12-31T23:59:59.999Z', '2026-01-01T00:00:00+02:00', '2025-12-31T23:00:00Z', '2026-01-01T00:00:00.001Z'],
  ],
  ['part.name', [null, '', 'a', 'b']],
];

/** More pages than any walk needs; a longer walk is a loop. */
const MAX_PAGES = 100;

/** Follows one relation from a URL, and returns the ids of each page. */
async function walk(
  api: ApiUnderTest,
  from: string,
  rel: 'next' | 'prev',
): Promise<{ pages: string[][]; last: string }> {
  const pages: string[][] = [];
  let last = from;
  for (let at: string | undefined = from; at !== undefined; ) {
    const page: Seen = await api.row({ send: `GET ${at}`, status: 200 });
    assert.ok(pages.push([...parseIds(page)]) < MAX_PAGES, 'the walk ends');
    last = at;
    at = page.body['links'][rel];
  }
  return { pages, last };
}

describe('pagination by cursor', () => {
  for (const [path, values] of ORDERS) {
    for (const sign of ['', '-']) {
      it(`[PAGE-5] [QRY-7] visits ${sign}${path} in order, nulls first ascending, and back`, async () => {
        await using api = await apiUnderTest(KINDS);
        const wanted: string[] = [];
        for (const [index, value] of values.entries()) {
          for (const tie of ['1', '2']) {
            const [outer, inner] = path.split('.');
            const id = `${String(index).padStart(2, '0')}${tie}`;
            const field =
              value === null && tie === '2' ? {} : { [outer ?? '']: inner === undefined ? value : { [inner]: value } };
            await create(api, 'rows', { id, ...field });
            wanted.push(id);
          }
        }
        if (sign === '-') wanted.reverse();
        const forward = await walk(api, `/api/v1/rows?sort=${sign}${path}&limit=3`, 'next');
        assert.deepEqual(forward.pages.flat(), wanted);
        const back = await walk(api, forward.last, 'prev');
        assert.deepEqual(back.pages.reverse().flat(), wanted);
      });
    }
  }

  it('[PAGE-5] orders ties by the id, in the direction of the last key', async () => {
    await using api = await apiUnderTest(KINDS);
    for (const id of ['b', 'a', 'c']) await create(api, 'rows', { id, number: 1 });
    for (const [sort, ids] of [
      ['number', 'abc'],
      ['-number', 'cba'],
      ['-number,text', 'abc'],
      ['number,-text', 'cba'],
      ['number,-id', 'cba'],
      ['-number,id', 'abc'],
      ['-id,number', 'cba'],
    ] as const) {
      assert.equal(parseIds(await api.send({ send: `GET /api/v1/rows?sort=${sort}` })).join(''), ids, sort);
    }
  });

  it('[PAGE-5] uses created_at and id by default, also for many rows of one instant', async () => {
    await using api = await apiUnderTest(KINDS);
    for (const id of ['c', 'a']) await create(api, 'rows', { id });
    api.clock.advance(1);
    for (const id of ['d', 'b']) await create(api, 'rows', { id });
    assert.deepEqual((await walk(api, '/api/v1/rows?limit=1', 'next')).pages.flat(), ['a', 'c', 'b', 'd']);
  });
});

/** A change between two pages. `at` selects a row, a sort and a value, each by its remainder. */
interface Disturbance {
  readonly kind: 'insert' | 'delete' | 'move' | 'touch';
  readonly at: number;
}

const SORTS = [
  'id',
  '-id',
  'created_at',
  '-created_at',
  'number',
  '-number',
  'text,-number',
  '-text,number',
  'part.name,-truth',
  '-truth,text,id',
];
const NUMBERS = [null, -1, 0, 1, 2];
const TEXTS = [null, '', 'a', 'b'];

const pick = <T>(values: readonly T[], at: number): T | undefined => values[at % values.length];

/** A row from few values, so that there are many ties and nulls. */
function rowAt(at: number): object {
  const name = pick(TEXTS, at >> 2);
  const truth = pick([null, false, true], at >> 1);
  return { number: pick(NUMBERS, at), text: pick(TEXTS, at >> 3), truth, part: name === null ? null : { name } };
}

/** A collection that changes while it is read. `standing` are the rows whose sort keys did not change. */
class Changing {
  readonly api: ApiUnderTest;
  readonly standing = new Set<string>();
  #made = 0;

  constructor(api: ApiUnderTest) {
    this.api = api;
  }

  async insert(at: number): Promise<string> {
    this.#made += 1;
    // Ids whose order differs from the creation order.
    const id = `${(at * 7919 + this.#made * 31) % 1000}-${this.#made}`;
    if (at % 3 === 0) this.api.clock.advance(1);
    await create(this.api, 'rows', { id, ...rowAt(at) });
    return id;
  }

  async disturb({ kind, at }: Disturbance): Promise<void> {
    const id = pick([...this.standing], at);
    if (kind === 'insert' || id === undefined) return void (await this.insert(at));
    const send = `/api/v1/rows/${id}`;
    if (kind === 'touch') return void (await this.api.send({ send: `PATCH ${send}`, body: { big: String(at) } }));
    this.standing.delete(id);
    if (kind === 'delete') await this.api.send({ send: `DELETE ${send}` });
    else await this.api.send({ send: `PATCH ${send}`, body: rowAt(at + 1) });
  }
}

/** Follows a relation to the end, with a change after each page. */
async function follow(
  changing: Changing,
  from: string | undefined,
  rel: 'next' | 'prev',
  disturbances: readonly Disturbance[],
): Promise<readonly Seen[]> {
  const pages: Seen[] = [];
  const pending = [...disturbances];
  for (let at = from; at !== undefined; ) {
    const page = await changing.api.send({ send: `GET ${at}` });
    assert.equal(page.status, 200, page.text);
    assert.ok(pages.push(page) < MAX_PAGES, 'the walk ends');
    at = page.body['links'][rel];
    const next = pending.shift();
    if (next !== undefined) await changing.disturb(next);
  }
  return pages;
}

const disturbance: fc.Arbitrary<Disturbance> = fc.record({
  kind: fc.constantFrom('insert', 'delete', 'move', 'touch'),
  at: fc.nat({ max: 10_000 }),
});

const walks = fc.record({
  rows: fc.array(fc.nat({ max: 10_000 }), { minLength: 1, maxLength: 14 }),
  sort: fc.constantFrom(...SORTS),
  limit: fc.integer({ min: 1, max: 4 }),
  forth: fc.array(disturbance, { maxLength: 8 }),
  back: fc.array(disturbance, { maxLength: 8 }),
});

describe('pagination of a changing collection', () => {
  it('[PAGE-5] repeats no row and skips no unchanged row, forward and back', async () => {
    const property = fc.asyncProperty(walks, async ({ rows, sort, limit, forth, back }) => {
      await using api = await apiUnderTest(KINDS);
      const changing = new Changing(api);
      for (const at of rows) changing.standing.add(await changing.insert(at));
      const all = await follow(changing, `/api/v1/rows?sort=${sort}&limit=${limit}`, 'next', forth);
      const seen = all.flatMap(parseIds);
      const stood = [...changing.standing];
      assert.deepEqual(seen.filter((id) => changing.standing.has(id)).toSorted(), stood.toSorted());
      const turn = all.findLastIndex((page) => parseIds(page).length > 0);
      const returned = await follow(changing, all[turn]?.body['links']['prev'], 'prev', back);
      const ahead = all.slice(0, Math.max(turn, 0)).flatMap(parseIds);
      const standing = (ids: readonly string[]) => ids.filter((id) => changing.standing.has(id));
      assert.deepEqual(standing([...returned].reverse().flatMap(parseIds)), standing(ahead));
    });
    await fc.assert(property, { numRuns: runs(10, 120) });
  });
});
