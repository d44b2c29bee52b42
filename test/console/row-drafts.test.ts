import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type DraftFault, readDraft, toDraft } from '../../console/src/row/draft.ts';
import { createMergePatch, isSameJson } from '../../console/src/row/json-values.ts';
import { compareRows, createRowPatch, rebaseDrafts } from '../../console/src/row/merge-rows.ts';
import type { ApiField, FieldKind } from '../../console/src/schema/api-schema.ts';

const field = (name: string, kind: FieldKind, inner: Partial<ApiField> = {}): ApiField => ({
  name,
  path: name,
  title: name,
  description: null,
  kind,
  nullable: true,
  required: false,
  readOnly: false,
  immutable: false,
  writeOnly: false,
  shownOnce: false,
  system: false,
  default: undefined,
  options: null,
  reference: null,
  mediaType: null,
  item: null,
  members: [],
  limits: {},
  ...inner,
});

const FIELDS = [
  field('name', 'string'),
  field('stock', 'integer'),
  field('tags', 'list', { item: field('', 'string') }),
  field('labels', 'map', { item: field('', 'number') }),
  field('place', 'object', { members: [field('city', 'string'), field('floor', 'integer')] }),
  field('settings', 'json'),
  field('size', 'enum', { options: [1, 2] }),
];

const VALUES: readonly (readonly [string, unknown])[] = [
  ['name', ''],
  ['stock', 5],
  ['stock', null],
  ['tags', []],
  ['tags', ['red', 'blue']],
  ['labels', { a: 1.5 }],
  ['labels', null],
  ['place', { city: 'Oslo', floor: null }],
  ['place', null],
  ['settings', { x: [1, null, { y: 'z' }] }],
  ['settings', 'text'],
  ['size', 2],
];

describe('what a form edits', () => {
  for (const [name, value] of VALUES)
    it(`gives ${JSON.stringify(value)} of ${name} back as it was read`, () => {
      const one = FIELDS.find((each) => each.name === name) ?? assert.fail(name);
      const faults: string[] = [];
      assert.deepEqual(
        readDraft(one, toDraft(one, value), name, (path) => faults.push(path)),
        value,
      );
      assert.deepEqual(faults, []);
    });

  it('names the place of what is no value', () => {
    const faults: [string, DraftFault][] = [];
    const report = (path: string, fault: DraftFault): void => void faults.push([path, fault]);
    const text = (typed: string) => ({ form: 'text', text: typed }) as const;
    const list = field('counts', 'list', { item: field('', 'integer') });
    readDraft(list, { form: 'list', items: [text('1'), text('one')] }, 'counts', report);
    readDraft(field('settings', 'json'), text('{'), 'settings', report);
    const entry = { key: 'a', value: text('1') };
    const map = field('labels', 'map', { item: field('', 'number') });
    readDraft(map, { form: 'map', entries: [entry, entry] }, 'labels', report);
    assert.deepEqual(faults, [
      ['counts[1]', 'number'],
      ['settings', 'json'],
      ['labels.a', 'key'],
    ]);
  });
});

describe('what a save sends', () => {
  it('is a merge patch of what differs: null for what is gone, lists as a whole', () => {
    const before = { a: 1, b: { c: 2, d: 3 }, e: [1, 2] };
    assert.deepEqual(createMergePatch(before, { a: 1, b: { c: 4 }, e: [2] }), { b: { c: 4, d: null }, e: [2] });
    assert.ok(isSameJson({ a: 1, b: [{ c: 2, d: 3 }] }, { b: [{ d: 3, c: 2 }], a: 1 }));
    assert.ok(!isSameJson({ a: null }, { b: null }));
  });

  it('has no secret that nobody typed', () => {
    const base = { name: 'Lamp', stock: 1 };
    const secret = field('pin', 'string', { writeOnly: true });
    assert.deepEqual(createRowPatch([...FIELDS.slice(0, 2), secret], base, { name: 'Lamp', stock: 2, pin: null }), {
      stock: 2,
    });
  });
});

describe('two editors of one row', () => {
  const row = (revision: number, values: object) => ({ id: 'a', revision, links: {}, ...values });
  const base = row(1, { name: 'Lamp', stock: 1, tags: ['a'], place: null });
  const theirs = row(2, { name: 'Theirs', stock: 2, tags: ['b'], place: null });
  const fields = FIELDS.filter(({ name }) => ['name', 'stock', 'tags', 'place'].includes(name));
  const mine = { name: 'Mine', stock: 1, tags: ['b'], place: { city: 'Oslo', floor: null } };

  it('differ only in what both changed to another value', () => {
    const conflict = compareRows(fields, { base, mine, theirs });
    assert.deepEqual(
      conflict.fields.map((each) => [each.field.name, each.base, each.mine, each.theirs]),
      [['name', 'Lamp', 'Mine', 'Theirs']],
    );
    assert.deepEqual(
      conflict.others.map(({ name }) => name),
      ['stock'],
    );
  });

  for (const side of ['mine', 'theirs'] as const)
    it(`keep what each changed alone, and the name of one: ${side}`, () => {
      const drafts = Object.fromEntries(fields.map((each) => [each.name, toDraft(each, Reflect.get(mine, each.name))]));
      const sides = new Map([['name', side]]);
      const merged = rebaseDrafts(fields, { base, drafts, mine }, { row: theirs, sides });
      const values = fields.map((each) => readDraft(each, merged[each.name] ?? assert.fail(), each.name, assert.fail));
      assert.deepEqual(values, [side === 'mine' ? 'Mine' : 'Theirs', 2, ['b'], { city: 'Oslo', floor: null }]);
    });
});
