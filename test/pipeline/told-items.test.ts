import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ToldItem, ToldItems, type ToldPage, toldPages } from '../../src/pipeline/told-items.ts';
import type { Row } from '../../src/plan/plan.ts';

const row: Row = {
  id: 'a',
  revision: 7,
  created_at: '2026-01-02T03:04:05.006Z',
  updated_at: '2026-01-03T03:04:05.678Z',
};

describe('what was told of a row', () => {
  it('[CACHE-4] says when it was changed, to the millisecond and as Last-Modified does', () => {
    const told = new ToldItem(row);
    assert.equal(told.date, 'Sat, 03 Jan 2026 03:04:05 GMT');
    assert.equal(told.at, Date.UTC(2026, 0, 3, 3, 4, 5, 678));
  });

  it('[CACHE-1] is told once in each of four forms, and anew each time in another', () => {
    const told = new ToldItem(row);
    const asked = ['json', 'xml', 'text', 'json', 'csv', 'lines', 'lines', 'xml'];
    const made: string[] = [];
    const texts = asked.map((form) => told.text(form, () => `${form} ${made.push(form)}`));
    assert.deepEqual(texts, ['json 1', 'xml 2', 'text 3', 'json 1', 'csv 4', 'lines 5', 'lines 6', 'xml 2']);
  });

  it('[CACHE-1] is never the name of a form', () => {
    const told = new ToldItem(row);
    const texts = ['xml', 'c', '<row/>'];
    const forms = ['json', 'csv', 'xml'];
    assert.deepEqual(
      forms.map((form, at) => told.text(form, () => texts[at] ?? '')),
      texts,
    );
  });

  it('is kept beside a row that its store gives again, and with no other', () => {
    const items = new ToldItems();
    const kept = Object.freeze({ ...row });
    assert.equal(items.of(kept), items.of(kept));
    assert.notEqual(items.of(row), items.of(row));
  });
});

describe('told pages', () => {
  it('[LIM-1] are let go of when there are many, also where they have no text', () => {
    const pages = toldPages();
    const href = `/api/v1/notes?${'x'.repeat(2_000)}`;
    const tagOf = (index: number): string => `"${index}"`;
    for (let index = 0; index < 10_000; index += 1) {
      const page: ToldPage = { text: '', links: [{ rel: 'self', href }], facts: [] };
      pages.offer(tagOf(index), page);
      pages.offer(tagOf(index), page);
    }
    const left = Array.from({ length: 10_000 }, (_, index) => pages.get(tagOf(index))).filter(
      (page) => page !== undefined,
    );
    assert.ok(left.length < 5_000, `${left.length} of pages with links of 2,000 characters`);
    assert.notEqual(left.length, 0);
  });
});
