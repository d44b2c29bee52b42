import assert from 'node:assert/strict';
import type { Item } from '../../oracle/oracle-collection.ts';
import { address, type Pair, pick } from './asking.ts';
import { PAGE, TARGETS } from './model.ts';
import { behind, type Plan, type Reading, deriveReading, type Technique } from './plans.ts';
import { read, type Served } from './served.ts';
import { World, type Write } from './world.ts';

/** More pages than any walk needs; a longer walk is a loop. */
const MAX_PAGES = 120;

/** The state of a walk: its query and the remaining writes. */
export class Walk {
  readonly world: World;
  readonly plan: Plan;
  readonly reading: Reading;
  readonly #pending: (readonly Write[])[];
  #pages = 0;
  /** True if nothing was written since the start. */
  quiet = true;

  constructor(world: World, plan: Plan, reading: Reading) {
    this.world = world;
    this.plan = plan;
    this.reading = reading;
    this.#pending = [...plan.writes];
  }

  /** The requested limit of the page with this number. */
  limit(page: number): number | null {
    return pick(this.plan.limits, page);
  }

  /** The expected items of a page, and whether more follow. */
  wanted(start: Reading['start'], limit: number): { items: readonly Item[]; more: boolean } {
    const { collection } = this.world;
    const all =
      'place' in start
        ? collection.after(this.reading.question, start.place)
        : collection.select(this.reading.question).slice(start.skip);
    return { items: all.slice(0, limit), more: all.length > limit };
  }

  async read(url: string): Promise<Served> {
    assert.ok(++this.#pages < MAX_PAGES, `the walk ends, at ${url}`);
    return read(this.world, url);
  }

  async disturb(): Promise<void> {
    const writes = this.#pending.shift() ?? [];
    if (writes.some(({ kind }) => kind !== 'tick')) this.quiet = false;
    if (this.plan.batched) await this.world.batch(writes);
    else await this.world.write(...writes);
  }
}

/** Opens a world for a plan, fills it and starts a walk. */
export async function begin(plan: Plan, technique: Technique): Promise<Walk> {
  const world = await World.open(pick(TARGETS, plan.target));
  // Rows with the same time are written together.
  let together: Write[] = [];
  for (const write of [...plan.rows, { kind: 'tick', milliseconds: 0 } as const]) {
    if (write.kind !== 'tick') together.push(write);
    else {
      await world.batch(together);
      together = [];
      await world.write(write);
    }
  }
  const reading = deriveReading(world, plan, technique, inForce(pick(plan.limits, 0)));
  world.watch(reading.question);
  return new Walk(world, plan, reading);
}

/** The effective limit for a requested one (PAGE-3). */
export function inForce(limit: number | null): number {
  return Math.min(limit ?? PAGE.default, PAGE.max);
}

export function limitPair(limit: number | null): readonly Pair[] {
  return limit === null ? [] : [[limit % 2 === 0 ? 'per_page' : 'limit', String(limit)]];
}

export function totalPair({ total }: Plan): readonly Pair[] {
  return total === null ? [] : [['include_total', String(total)]];
}

/** A page of a walk, with its start position and limit. */
export interface Stop {
  readonly served: Served;
  readonly start: Reading['start'];
  readonly limit: number;
}

/** Walks to the end. Each page equals the items that the oracle currently has after the previous page. */
export async function forth(
  walk: Walk,
  onPage: (stop: Stop) => Promise<void> = async () => {},
): Promise<readonly Stop[]> {
  const { reading, world, plan } = walk;
  const stops: Stop[] = [];
  let url: string | null = address(world.target, [
    ...reading.selection,
    ...reading.position,
    ...limitPair(walk.limit(0)),
    ...totalPair(plan),
  ]);
  let start = reading.start;
  let limit = inForce(walk.limit(0));
  while (url !== null) {
    const served = await walk.read(url);
    const wanted = walk.wanted(start, limit);
    assert.deepEqual(
      served.ids,
      wanted.items.map(({ id }) => id),
      `[PAGE-5] the items of ${decodeURIComponent(url)}`,
    );
    assert.equal(served.page['has_more'], wanted.more, `[PAGE-1] has_more of ${url}`);
    assert.equal(served.page['limit'], limit, `[PAGE-3] the limit of ${url}`);
    assertTotal(walk, served, limit);
    const stop = { served, start, limit };
    stops.push(stop);
    assertEnds(walk, served);
    await onPage(stop);
    ({ url, start, limit } = next(walk, stop, stops.length));
    await walk.disturb();
  }
  return stops;
}

interface Move {
  readonly url: string | null;
  readonly start: Reading['start'];
  readonly limit: number;
}

/** The URL of the next page, as the plan requests it. */
function next(walk: Walk, { served, start, limit }: Stop, pages: number): Move {
  const { reading, plan, world } = walk;
  const last = served.items.at(-1);
  const href = served.links['next'];
  if (href === undefined || last === undefined) return { url: null, start, limit };
  const behindLast = 'skip' in start && isNumbered(reading) ? { skip: start.skip + limit } : { place: last };
  const step = pick(plan.steps, pages);
  const asked = walk.limit(pages);
  const followed = { url: href, start: behindLast, limit };
  const go = (...pairs: readonly (readonly Pair[])[]): Move => ({
    url: address(world.target, [...pairs.flat(), ...limitPair(asked), ...totalPair(plan)]),
    start: behindLast,
    limit: inForce(asked),
  });
  const cursor = served.page['next_cursor'];
  if (step === 'link') return followed;
  if (typeof cursor === 'string') return go(step === 'own' ? reading.selection : [], [['after', cursor]]);
  if (step === 'token') return followed;
  if (reading.technique === 'keyset' || reading.technique === 'seek')
    return go(reading.selection, behind(world, reading.technique, last, plan.form + pages).position);
  if (reading.technique === 'offset' && 'skip' in behindLast)
    return go(reading.selection, [['offset', String(behindLast.skip)]]);
  return followed;
}

/** Checks the total of a page (PAGE-9). */
function assertTotal(walk: Walk, { page, url, links }: Served, limit: number): void {
  const { reading, world, plan } = walk;
  const technique = page['technique'];
  const counted = plan.total ?? (technique === 'page' || technique === 'offset');
  const members = ['total_count', 'total_count_relation', 'total_pages'];
  if (!counted)
    return assert.ok(members.every((name) => !(name in page)) && !('last' in links), `[PAGE-9a] ${url} is not counted`);
  const total = world.collection.select(reading.question).length;
  const exact = reading.unfiltered || total <= PAGE.countCap;
  const reported = exact ? total : PAGE.countCap;
  assert.deepEqual(
    members.map((name) => page[name]),
    [reported, exact ? 'eq' : 'gte', exact ? Math.ceil(total / limit) : undefined],
    `[PAGE-9b] the total of ${url}`,
  );
  if (reported > 0) assert.equal('last' in links, exact, `[PAGE-2] last of ${url}`);
}

/** Walks back to the start. Each page equals the items that the oracle has before the previous one. */
export async function back(walk: Walk, from: Stop): Promise<readonly Served[]> {
  const passed: Served[] = [];
  let { served, start } = from;
  for (let href = served.links['prev']; href !== undefined; href = served.links['prev']) {
    await walk.disturb();
    const last = await walk.read(href);
    const wanted = ahead(walk, served, start, from.limit, last.ids.length);
    assert.deepEqual(
      last.ids,
      wanted.map(({ id }) => id),
      `[PAGE-5] the items of ${decodeURIComponent(href)}`,
    );
    if ('skip' in start) start = { skip: Math.max(0, start.skip - from.limit) };
    served = last;
    passed.push(served);
    if (served.items.length === 0) break;
    assertEnds(walk, served);
  }
  return passed;
}

/**
 * The items of the previous page. With page numbers and offsets it is a number of items before; otherwise it ends where
 * the page starts.
 */
function ahead(walk: Walk, served: Served, start: Reading['start'], limit: number, count: number): readonly Item[] {
  const { collection } = walk.world;
  const { question } = walk.reading;
  if (isNumbered(walk.reading) && 'skip' in start) {
    // The length of a page that starts less than one page after the first item is unspecified.
    const length = start.skip < limit ? Math.min(limit, Math.max(count, start.skip)) : limit;
    const first = Math.max(0, start.skip - limit);
    return collection.select(question).slice(first, first + length);
  }
  const [first] = served.items;
  return first === undefined ? [] : collection.before(question, first).slice(-limit);
}

export function isNumbered({ technique }: Reading): boolean {
  return technique === 'page' || technique === 'offset';
}

/** A page has links to neighbours if there are items, and, if nothing changed, only then. */
function assertEnds(walk: Walk, { items, links, url }: Served): void {
  const [first, last] = [items[0], items.at(-1)];
  if (first === undefined || last === undefined) return;
  const { collection } = walk.world;
  const { question, technique } = walk.reading;
  const isAhead = collection.before(question, first).length > 0;
  const isBehind = collection.after(question, last).length > 0;
  // prev links of keyset and seek are unspecified.
  const leadsBack = technique !== 'keyset' && technique !== 'seek' && !isNumbered(walk.reading);
  if (leadsBack && (isAhead || walk.quiet)) assert.equal('prev' in links, isAhead, `[PAGE-2] prev of ${url}`);
  if (!isNumbered(walk.reading) && (isBehind || walk.quiet))
    assert.equal('next' in links, isBehind, `[PAGE-2] next of ${url}`);
}
