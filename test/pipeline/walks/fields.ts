import assert from 'node:assert/strict';
import { type Item, valueAt } from '../../oracle/oracle-collection.ts';
import { address } from './asking.ts';
import type { Walk } from './walk.ts';

/** Visits all pages with selected fields: each item has these and id, revision and links (QRY-4). */
export async function showsFields({ world, reading }: Walk, paths: readonly string[]): Promise<void> {
  const wanted = world.collection.select(reading.question);
  const members = new Set(['id', 'revision', 'links', ...paths.map((path) => path.replace(/\..*/, ''))]);
  const seen: Item[] = [];
  let url: string | undefined = address(world.target, [...reading.selection, ['fields', paths.join()]]);
  while (url !== undefined && seen.length <= wanted.length) {
    const { status, text, body } = await world.api.send({ send: `GET ${url}` });
    assert.equal(status, 200, text);
    seen.push(...body['data']);
    url = body['links']['next'];
  }
  for (const [index, item] of wanted.entries()) {
    const shown = seen[index];
    assert.ok(shown?.id === item.id, `[PAGE-5] ${item.id} is number ${index}`);
    assert.deepEqual(new Set(Object.keys(shown)), members, `[QRY-4] members of ${item.id}`);
    for (const path of paths) {
      const actual: string = JSON.stringify(valueAt(shown, path));
      assert.ok(world.collection.areEqual(shown, item, path), `[QRY-4] ${path} of ${item.id} is ${actual}`);
    }
    const place = shown['place'];
    const inside = paths.filter((path) => path.startsWith('place.')).map((path) => path.slice('place.'.length));
    if (typeof place === 'object' && place !== null) assert.deepEqual(Object.keys(place).sort(), inside.sort());
  }
  assert.equal(seen.length, wanted.length);
}
