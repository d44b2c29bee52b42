import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { showsFields } from './fields.ts';
import { FIELDS } from './model.ts';
import { OPERATORS, type Plan, plans, TECHNIQUES, type Technique } from './plans.ts';
import { refuses } from './refusals.ts';
import { read } from './served.ts';
import { back, begin, forth, isNumbered, type Stop, type Walk } from './walk.ts';

/**
 * Properties of every collection, tested on random ones. The daily and the slow test share them.
 *
 * @param runs cases per property
 */
export function walkClaims(runs: number): void {
  describe('pagination of a changing collection', () => {
    for (const technique of TECHNIQUES) {
      const law =
        technique === 'page' || technique === 'offset' ? 'returns the items that currently have these numbers' : LAW;
      it(`[PAGE-5] [PAGE-7] by ${technique} ${law}`, () =>
        holds(plans({ quiet: false }), runs, (plan) => walks(plan, technique)));
    }
  });

  describe('an unchanged collection', () => {
    for (const technique of TECHNIQUES) {
      it(`[PAGE-1] [PAGE-2] [PAGE-9b] by ${technique} is returned page by page, with correct links`, () =>
        holds(plans({ quiet: true, operators: OPERATORS, windowed: true }), runs, (plan) => stands(plan, technique)));
    }
  });

  describe('a selection of fields', () => {
    const paths = fc.subarray([...FIELDS.map(({ path }) => path), 'created_at', 'memo'], {
      minLength: 1,
      maxLength: 4,
    });
    it('[QRY-4] returns these and id, revision and links on all pages', () =>
      holds(fc.tuple(plans({ quiet: true }), paths), runs, async ([plan, chosen]) => {
        const walk = await begin(plan, 'cursor');
        await using _ = walk.world;
        await showsFields(walk, chosen);
      }));
  });

  describe('a position', () => {
    it('[PAGE-4] [PAGE-6] [PAGE-7] is rejected with another position, incomplete, or with a cursor of another query', () =>
      holds(plans({ quiet: true, operators: OPERATORS }), Math.ceil(runs / 2), async (plan) => {
        const walk = await begin(plan, 'cursor');
        await using _ = walk.world;
        await refuses(walk);
      }));
  });

  describe('a filter', () => {
    for (const operator of OPERATORS) {
      it(`[QRY-1] [QRY-7] by [${operator}] matches like the oracle`, () =>
        holds(plans({ quiet: true, operators: [operator] }), runs, (plan) => stands(plan, 'cursor')));
    }

    it('[QRY-1] [PAGE-4] works with others, with any technique, while the collection changes', () =>
      holds(
        fc.tuple(plans({ quiet: false, operators: OPERATORS }), fc.constantFrom(...TECHNIQUES)),
        runs,
        ([plan, technique]) => walks(plan, technique),
      ));

    it('[QRY-1] [QRY-7] through relations and in alternatives matches like the oracle', () =>
      holds(plans({ quiet: true, operators: OPERATORS, related: true }), runs, (plan) => stands(plan, 'cursor')));

    it('[QRY-1] [PAGE-4] through relations and in alternatives works with any technique, while the collection changes', () =>
      holds(
        fc.tuple(plans({ quiet: false, operators: OPERATORS, related: true }), fc.constantFrom(...TECHNIQUES)),
        runs,
        ([plan, technique]) => walks(plan, technique),
      ));

    it('[PAGE-4] by a time window works with any technique, while the collection changes', () =>
      holds(
        fc.tuple(plans({ quiet: false, windowed: true }), fc.constantFrom(...TECHNIQUES)),
        runs,
        ([plan, technique]) => walks(plan, technique),
      ));

    it('[QRY-6] by words matches prefixes, with any technique, while the collection changes', () =>
      holds(
        fc.tuple(plans({ quiet: false, operators: [], search: true }), fc.constantFrom(...TECHNIQUES)),
        runs,
        ([plan, technique]) => walks(plan, technique),
      ));
  });
}

/** Timeout of a property in milliseconds, including shrinking. */
const PATIENCE = 45_000;

const LAW = 'repeats no item and skips no unchanged one, forward and back, whatever else changes';

function holds<T>(given: fc.Arbitrary<T>, numRuns: number, claim: (value: T) => Promise<void>): Promise<void> {
  return fc.assert(fc.asyncProperty(given, claim), {
    numRuns,
    interruptAfterTimeLimit: PATIENCE,
    markInterruptAsFailure: true,
  });
}

/**
 * Visits all pages forward and back during writes: each page equals that of the oracle, and the property holds for all.
 */
async function walks(plan: Plan, technique: Technique): Promise<void> {
  const walk = await begin(plan, technique);
  await using _ = walk.world;
  const stops = await forth(walk);
  const turn = stops.findLast(({ served }) => served.items.length > 0);
  const passed = turn === undefined ? [] : await back(walk, turn);
  if (isNumbered(walk.reading)) return;
  const { collection } = walk.world;
  const { question, start } = walk.reading;
  const all = 'place' in start ? collection.after(question, start.place) : collection.select(question);
  assertLaw(
    walk,
    all.map(({ id }) => id),
    stops.flatMap(({ served }) => served.ids),
  );
  const first = turn?.served.items[0];
  if (first === undefined || !('prev' in (turn?.served.links ?? {}))) return;
  const ahead = collection.before(question, first).map(({ id }) => id);
  assertLaw(
    walk,
    ahead,
    passed.toReversed().flatMap(({ ids }) => ids),
  );
}

/** Checks PAGE-5 for the ids of all visited pages, in the order of the collection. */
function assertLaw(walk: Walk, passable: readonly string[], seen: readonly string[]): void {
  const standing = walk.world.standing();
  const stood = (ids: readonly string[]) => ids.filter((id) => standing.has(id));
  assert.deepEqual(stood(seen), stood(passable), '[PAGE-5] each unchanged item, once, in order');
  const unmoved = seen.filter((id) => !walk.world.hasMoved(id));
  assert.equal(new Set(unmoved).size, unmoved.length, `[PAGE-5] none twice: ${unmoved.join()}`);
}

/** Visits all pages of an unchanged collection, and follows every link of each page. */
async function stands(plan: Plan, technique: Technique): Promise<void> {
  const walk = await begin(plan, technique);
  await using _ = walk.world;
  await forth(walk, (stop) => leads(walk, stop));
}

/** Checks the links of a page (PAGE-2). */
async function leads({ world, reading }: Walk, { served, start, limit }: Stop): Promise<void> {
  const { links, ids, url, text } = served;
  const found = world.collection.select(reading.question).map(({ id }) => id);
  assert.equal((await read(world, links['self'] ?? '')).text, text, `[PAGE-2] self is this page: ${url}`);
  assert.equal((await read(world, url)).text, text, `[PAGE-6] the same request, the same cursors: ${url}`);
  const first = await read(world, links['first'] ?? '');
  assert.deepEqual(first.ids, found.slice(0, limit), `[PAGE-2] first of ${url}`);
  assertPosition(served, reading.technique, start);
  if ('last' in links) {
    const last = await read(world, links['last'] ?? '');
    assert.equal(last.page['has_more'], false, `[PAGE-2] nothing follows the last page of ${url}`);
    assert.deepEqual(last.ids, last.ids.length === 0 ? [] : found.slice(-last.ids.length), `[PAGE-2] last of ${url}`);
    assert.equal(last.ids.length === 0, found.length === 0, `[PAGE-2] last of ${url} shows the last items`);
  }
  if (!('next' in links)) return;
  const next = await read(world, links['next'] ?? '');
  const prev = next.links['prev'];
  if (prev === undefined) {
    return assert.ok(
      reading.technique === 'keyset' || reading.technique === 'seek',
      `[PAGE-2] a page after ${url} leads back`,
    );
  }
  // A page that starts less than one page after the first item may be shorter.
  assert.deepEqual((await read(world, prev)).ids, ids, `[PAGE-2] the page before the next one is the page: ${url}`);
}

/** Checks the technique and the position members of a page (PAGE-1). */
function assertPosition({ page, url }: Stop['served'], technique: Technique, start: Stop['start']): void {
  const { searchParams } = new URL(url, 'http://localhost');
  const names = ['page', 'offset', 'after', 'last_id', 'after_id', 'after_timestamp'].filter((name) =>
    searchParams.has(name),
  );
  const byCursor = names.includes('after');
  const wanted = byCursor && technique === 'time' ? ['time', 'cursor'] : [byCursor ? 'cursor' : technique];
  assert.ok(
    wanted.includes(String(page['technique'])),
    `[PAGE-1] ${String(page['technique'])} is the technique of ${url}`,
  );
  for (const name of names.filter((each) => each !== 'after_timestamp')) {
    assert.equal(String(page[name]), searchParams.get(name), `[PAGE-1] ${name} of ${url}`);
  }
  if ('place' in start && names.includes('after_timestamp')) {
    const sent = Math.floor(Date.parse(searchParams.get('after_timestamp') ?? ''));
    assert.equal(Date.parse(String(page['after_timestamp'])), sent, `[PAGE-1] after_timestamp of ${url}`);
  }
}
