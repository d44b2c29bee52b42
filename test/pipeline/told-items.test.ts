import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FreshItem, type Telling, type ToldItem, ToldItems } from '../../src/pipeline/told-items.ts';
import type { Row } from '../../src/plan/plan.ts';

const row: Row = {
  id: 'a',
  revision: 7,
  created_at: '2026-01-02T03:04:05.006Z',
  updated_at: '2026-01-03T03:04:05.678Z',
};
const telling: Telling = { resource: 'notes', id: 'a', form: 'json', change: 3 };

/** All that there is to a told item. */
function facts(item: ToldItem | null): unknown {
  return item === null ? null : [item.revision, item.at, item.date, item.text];
}

describe('a row that is told', () => {
  it('[CACHE-4] says when it was changed, to the millisecond and as Last-Modified does', () => {
    const told = new FreshItem(row, () => '{}');
    assert.equal(told.date, 'Sat, 03 Jan 2026 03:04:05 GMT');
    assert.equal(told.at, Date.UTC(2026, 0, 3, 3, 4, 5, 678));
  });

  it('has its text made when it is asked for, and once', () => {
    let made = 0;
    const told = new FreshItem(row, () => `text ${++made}`);
    assert.equal(made, 0);
    assert.deepEqual([told.text, told.text], ['text 1', 'text 1']);
  });
});

/** Keeps an item as those are that come again. */
function keep(items: ToldItems, told: Telling, item: ToldItem): void {
  items.of(told).offer(item);
  items.of(told).offer(item);
}

describe('rows that were told', () => {
  it('are kept from the second time on that they are told', () => {
    const items = new ToldItems();
    let made = 0;
    const tell = (): ToldItem => new FreshItem(row, () => `text ${++made}`);
    items.of(telling).offer(tell());
    assert.deepEqual([items.of(telling).find(), made], [null, 0]);
    items.of(telling).offer(tell());
    assert.equal(items.of(telling).find()?.text, 'text 1');
  });

  it('[CACHE-1] are told again as they were, with all that goes beside', () => {
    for (const text of ['{"name":"plain"}', '{"name":"Grüße, 東京 🗼"}', '', 'x'.repeat(10_000)]) {
      const items = new ToldItems();
      const fresh = new FreshItem(row, () => text);
      keep(items, telling, fresh);
      assert.deepEqual(facts(items.of(telling).find()), facts(fresh));
    }
  });

  it('[CACHE-1] are not known by another resource, id, form or change', () => {
    const items = new ToldItems();
    keep(items, telling, new FreshItem(row, () => '{}'));
    for (const other of [{ resource: 'pads' }, { id: 'b' }, { form: 'xml' }, { change: 4 }, { change: 2 }]) {
      assert.equal(items.of({ ...telling, ...other }).find(), null, JSON.stringify(other));
    }
    assert.notEqual(items.of(telling).find(), null);
  });

  it('[CACHE-1] are told as they were last, in each form by itself', () => {
    const items = new ToldItems();
    for (const change of [3, 4]) {
      for (const form of ['json', 'xml']) {
        const told = new FreshItem({ ...row, revision: change }, () => `${form} of ${change}`);
        keep(items, { ...telling, form, change }, told);
      }
    }
    assert.equal(items.of(telling).find(), null);
    assert.equal(items.of({ ...telling, change: 4 }).find()?.text, 'json of 4');
    assert.equal(items.of({ ...telling, change: 4, form: 'xml' }).find()?.text, 'xml of 4');
  });

  it('[LIM-1] are let go of when there are many, and so are their forms', () => {
    const items = new ToldItems();
    const known = (index: number): boolean => items.of({ ...telling, form: `form ${index}` }).find() !== null;
    for (let index = 0; index < 10_000; index += 1) {
      keep(items, { ...telling, form: `form ${index}` }, new FreshItem(row, () => '{}'));
      assert.ok(known(index));
    }
    assert.ok(!known(0));
  });
});
