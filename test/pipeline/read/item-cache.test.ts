import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ItemState, CachedItem, ItemCache } from '../../../src/pipeline/read/item-cache.ts';

const CHANGED = Date.UTC(2026, 0, 3, 3, 4, 5, 678);
const state: ItemState = { resource: 'notes', id: 'a', form: 'json', change: 3 };

/** All that there is to a told item. */
function facts(item: CachedItem | null): unknown {
  return item === null ? null : [item.revision, item.at, item.date, item.text];
}

describe('a row that is told', () => {
  it('[CACHE-4] says when it was changed, to the millisecond and as Last-Modified does', () => {
    const told = new CachedItem(7, CHANGED, () => '{}');
    assert.equal(told.date, 'Sat, 03 Jan 2026 03:04:05 GMT');
    assert.equal(told.at, CHANGED);
  });

  it('has its text made when it is asked for, and once', () => {
    let made = 0;
    const told = new CachedItem(7, CHANGED, () => `text ${++made}`);
    assert.equal(made, 0);
    assert.deepEqual([told.text, told.text], ['text 1', 'text 1']);
  });
});

/** Keeps an item as those are that come again. */
function keep(items: ItemCache, told: ItemState, item: CachedItem): void {
  items.of(told).set(item);
  items.of(told).set(item);
}

describe('rows that were told', () => {
  it('are kept from the second time on that they are told', () => {
    const items = new ItemCache();
    let made = 0;
    const tell = (): CachedItem => new CachedItem(7, CHANGED, () => `text ${++made}`);
    items.of(state).set(tell());
    assert.deepEqual([items.of(state).get(), made], [null, 0]);
    items.of(state).set(tell());
    assert.equal(items.of(state).get()?.text, 'text 1');
  });

  it('[CACHE-1] are told again as they were, with all that goes beside', () => {
    for (const text of ['{"name":"plain"}', '{"name":"Grüße, 東京 🗼"}', '', 'x'.repeat(10_000)]) {
      const items = new ItemCache();
      const fresh = new CachedItem(7, CHANGED, () => text);
      keep(items, state, fresh);
      assert.deepEqual(facts(items.of(state).get()), facts(fresh));
    }
  });

  it('[CACHE-1] are not known by another resource, id, form or change', () => {
    const items = new ItemCache();
    keep(items, state, new CachedItem(7, CHANGED, () => '{}'));
    for (const other of [{ resource: 'pads' }, { id: 'b' }, { form: 'xml' }, { change: 4 }, { change: 2 }]) {
      assert.equal(items.of({ ...state, ...other }).get(), null, JSON.stringify(other));
    }
    assert.notEqual(items.of(state).get(), null);
  });

  it('[CACHE-1] are told as they were last, in each form by itself', () => {
    const items = new ItemCache();
    for (const change of [3, 4]) {
      for (const form of ['json', 'xml']) {
        const told = new CachedItem(change, CHANGED, () => `${form} of ${change}`);
        keep(items, { ...state, form, change }, told);
      }
    }
    assert.equal(items.of(state).get(), null);
    assert.equal(items.of({ ...state, change: 4 }).get()?.text, 'json of 4');
    assert.equal(items.of({ ...state, change: 4, form: 'xml' }).get()?.text, 'xml of 4');
  });

  it('[LIM-1] are let go of when there are many, and so are their forms', () => {
    const items = new ItemCache();
    const known = (index: number): boolean => items.of({ ...state, form: `form ${index}` }).get() !== null;
    for (let index = 0; index < 10_000; index += 1) {
      keep(items, { ...state, form: `form ${index}` }, new CachedItem(7, CHANGED, () => '{}'));
      assert.ok(known(index));
    }
    assert.ok(!known(0));
  });
});
