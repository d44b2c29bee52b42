import assert from 'node:assert/strict';
import { type Item, valueAt } from '../../oracle/oracle-collection.ts';
import type { Seen } from '../support/api-under-test.ts';
import { KINDS } from './model.ts';
import type { World } from './world.ts';

/** A page with a typed body. */
export interface Served {
  readonly url: string;
  readonly text: string;
  /** The items of the oracle at the time of the response, in page order. */
  readonly items: readonly Item[];
  readonly ids: readonly string[];
  readonly page: Readonly<Record<string, unknown>>;
  readonly links: Readonly<Record<string, string>>;
}

/** Reads a page and checks that it is consistent and that its items are current. */
export async function read(world: World, url: string): Promise<Served> {
  const seen = await world.api.send({ send: `GET ${url}` });
  assert.equal(seen.status, 200, `GET ${url} answered ${seen.text}`);
  const { data, page, links } = seen.body;
  const ids: readonly string[] = data.map(({ id }: Item) => id);
  const items = ids.flatMap((id) => world.collection.items.get(id) ?? []);
  assert.equal(items.length, ids.length, `only items of ${world.target.path}: ${ids.join()} of ${url}`);
  const served: Served = { url, text: seen.text, items, ids, page, links };
  for (const [index, item] of items.entries()) assertShows(world, data[index], item, url);
  assertConsistent(served, seen);
  return served;
}

function assertShows(world: World, actual: Item, item: Item, url: string): void {
  for (const path of Object.keys(KINDS)) {
    const values = `${JSON.stringify(valueAt(actual, path))}, not ${JSON.stringify(valueAt(item, path))}`;
    assert.ok(world.collection.areEqual(actual, item, path), `${path} of ${item.id} is ${values} at ${url}`);
  }
}

/** Checks PAGE-1 and PAGE-2 for one response. */
function assertConsistent({ url, page, links, ids }: Served, seen: Seen): void {
  assert.equal(page['count'], ids.length, `[PAGE-1] count of ${url}`);
  assert.equal(page['has_more'], 'next' in links, `[PAGE-1] has_more says whether there is a next link at ${url}`);
  assert.ok('self' in links && 'first' in links, `[PAGE-2] self and first of ${url}`);
  if ('next_cursor' in page) {
    assert.equal(page['next_cursor'] !== null, 'next' in links, `[PAGE-1] next_cursor of ${url}`);
    assert.equal(page['prev_cursor'] !== null, 'prev' in links, `[PAGE-1] prev_cursor of ${url}`);
  }
  const header = seen.headers.get('link');
  // It is omitted only above 4 KiB.
  const isLeftOut = header === undefined && Object.values(links).join().length > 3500;
  assert.deepEqual(
    isLeftOut ? links : linksIn(header ?? ''),
    links,
    `[PAGE-2] the Link field of ${url} equals the body`,
  );
}

/** Parses a `Link` field into targets by relation (RFC 8288). */
export function linksIn(field: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...field.matchAll(/<([^>]*)>; *rel="?([^",;]*)"?/g)].map(([, href = '', rel = '']) => [rel, href]),
  );
}
