import type { Json } from '../../src/conventions/json/json.ts';
import type { Field, ValueType } from '../../src/model/model.ts';
import { field, refersTo, type ResourceOptions } from '../../store-suite/sample-model.ts';

export const TEXT: ValueType = { kind: 'text', format: null };
export const DECIMAL: ValueType = { kind: 'decimal', precision: 10, scale: 2 };
export const IDS: ValueType = { kind: 'array', item: { type: TEXT, nullable: false } };

/** The collection before any change: a required and unique title, and a note that is null in the second row. */
export const BEFORE: ResourceOptions = {
  name: 'items',
  fields: [field('title', TEXT, { required: true }), field('note', TEXT), field('price', DECIMAL), field('refs', IDS)],
  uniques: [['title']],
  indexes: [['note']],
};
export const ROWS: readonly (readonly [string, Readonly<Record<string, Json>>])[] = [
  ['a', { title: 'A', note: 'n', price: '1.00', refs: ['b'] }],
  ['b', { title: 'B', note: null, price: null, refs: [] }],
];

export function fields(changes: Readonly<Record<string, Field | null>>): readonly Field[] {
  const kept = BEFORE.fields.flatMap((each) => {
    const change = changes[each.name];
    return change === undefined ? [each] : change === null ? [] : [change];
  });
  const known = new Set(BEFORE.fields.map(({ name }) => name));
  const added = Object.entries(changes).flatMap(([name, change]) =>
    change === null || known.has(name) ? [] : [change],
  );
  return [...kept, ...added];
}

export interface Change {
  readonly title: string;
  readonly after: readonly ResourceOptions[];
  /** A column of the rows `a` and `b` afterwards, under its new name. */
  /** True if the tables need no change for it. */
  readonly silent?: boolean;
  readonly shows?: readonly [string, Json, Json];
}

export const KEPT: readonly Change[] = [
  {
    title: 'adds an optional field',
    after: [{ ...BEFORE, fields: fields({ size: field('size', TEXT) }) }],
    shows: ['size', null, null],
  },
  {
    title: 'fills a new field with its default',
    after: [{ ...BEFORE, fields: fields({ size: field('size', DECIMAL, { required: true, default: '2.5' }) }) }],
    shows: ['size', '2.50', '2.50'],
  },
  {
    title: 'fills a new array field with an empty array',
    after: [{ ...BEFORE, fields: fields({ tags: field('tags', IDS) }) }],
    shows: ['tags', [], []],
  },
  {
    title: 'makes a required field optional',
    after: [{ ...BEFORE, fields: fields({ title: field('title', TEXT) }) }],
    shows: ['title', 'A', 'B'],
  },
  {
    title: 'makes an optional field required, and replaces nulls with its default',
    after: [{ ...BEFORE, fields: fields({ note: field('note', TEXT, { required: true, default: "it's" }) }) }],
    shows: ['note', 'n', "it's"],
  },
  {
    title: 'renames a field',
    after: [{ ...BEFORE, fields: fields({ note: field('remark', TEXT, { was: 'note' }) }), indexes: [['remark']] }],
    shows: ['remark', 'n', null],
  },
  {
    title: 'adds and drops indexes',
    after: [{ ...BEFORE, indexes: [['price', 'title']] }],
    shows: ['title', 'A', 'B'],
  },
  {
    title: 'widens a decimal of the same storage type',
    after: [{ ...BEFORE, fields: fields({ price: field('price', { ...DECIMAL, precision: 18 }) }) }],
    silent: true,
    shows: ['price', '1.00', null],
  },
  {
    title: 'links an array that becomes an array of references',
    after: [{ ...BEFORE, fields: fields({ refs: field('refs', IDS, { reference: refersTo('items') }) }) }],
    shows: ['refs', ['b'], []],
  },
  {
    title: 'adds a resource',
    after: [BEFORE, { name: 'parts', parent: 'items', fields: [] }],
    shows: ['title', 'A', 'B'],
  },
];

/** A change that stored rows prevent. `consent` is whether the migration can be made with consent to losses. */
export type RefusedChange = Change & { readonly says: RegExp; readonly consent: boolean };

export const REFUSED: readonly RefusedChange[] = [
  {
    title: 'a dropped field',
    after: [{ ...BEFORE, fields: fields({ price: null }) }],
    says: /items\.price is dropped with 1 value; declare it/,
    consent: true,
    shows: ['note', 'n', null],
  },
  {
    title: 'a dropped resource',
    after: [{ name: 'others', fields: [] }],
    says: /items is dropped with 2 rows; declare it/,
    consent: true,
  },
  {
    title: 'a field of another type',
    after: [{ ...BEFORE, fields: fields({ price: field('price', { ...DECIMAL, scale: 3 }) }) }],
    says: /items\.price changes from decimal\(2\) to decimal\(3\), which replaces 1 value by null; declare a new field/,
    consent: true,
    shows: ['price', null, null],
  },
  {
    title: 'a new required field without a default',
    after: [{ ...BEFORE, fields: fields({ size: field('size', TEXT, { required: true }) }) }],
    says: /items\.size is required: 2 rows break it \(a, b\); declare a default/,
    consent: false,
  },
  {
    title: 'a required field that is null in a row',
    after: [{ ...BEFORE, fields: fields({ note: field('note', TEXT, { required: true }) }) }],
    says: /items\.note is required: 1 row breaks it \(b\); declare a default, or fill them first/,
    consent: false,
  },
  {
    title: 'a required field of another type',
    after: [
      { ...BEFORE, fields: fields({ title: field('title', { kind: 'integer' }, { required: true }) }), uniques: [] },
    ],
    says: /items\.title is required: 2 rows break it \(a, b\); declare a default/,
    consent: false,
  },
  {
    title: 'a reference that no row satisfies',
    after: [
      { ...BEFORE, fields: fields({ note: field('note', TEXT, { reference: refersTo('others') }) }) },
      { name: 'others', fields: [] },
    ],
    says: /items\.note refers to others: 1 row breaks it \(a\); change them first/,
    consent: false,
  },
];
