// The resources of model.ts, stated again by hand: the oracle shares nothing with src/.
import type { FieldKind } from '../../test/oracle/values.ts';
import type { Json } from './client.ts';
import type { Random } from './random.ts';

export interface Field {
  readonly name: string;
  readonly kind: FieldKind | 'map' | 'object';
  readonly required?: boolean;
  /** Values that a body may have, in the form that responses have. */
  readonly make: (random: Random) => Json;
  /** A value that no body may have. */
  readonly bad: Json;
  /** True if no PUT or PATCH may change it. */
  readonly immutable?: boolean;
  /** The value after a POST or PUT without it. */
  readonly preset?: Json;
}

export interface Resource {
  readonly name: string;
  readonly singular: string;
  readonly parent: Resource | null;
  readonly fields: readonly Field[];
  /** Members of a representation between the ids and `created_at`, in order. */
  readonly members: readonly string[];
  readonly search: readonly string[];
  readonly clientId: boolean;
}

const day = (random: Random): string => new Date(Date.UTC(2000, 0, random.integer(1, 9000))).toISOString().slice(0, 10);
const orNull =
  (make: (random: Random) => Json): Field['make'] =>
  (random) =>
    random.chance(0.2) ? null : make(random);
const memo: Field = { name: 'memo', kind: 'text', make: orNull((random) => random.text(30)), bad: 5 };
const text: Field = { ...memo, name: 'text' };
/** Not empty, and not only whitespace, which a form or XML may drop. */
const name = (random: Random, most: number): string => `${random.pick(['a', 'b', 'C', 'Å'])}${random.text(most - 2)}.`;

const authors: Resource = {
  name: 'authors',
  singular: 'author',
  parent: null,
  clientId: false,
  search: ['name'],
  members: ['name', 'country', 'rating', 'active', 'born'],
  fields: [
    { name: 'name', kind: 'text', required: true, make: (random) => name(random, 30), bad: '' },
    { name: 'country', kind: 'text', make: orNull((random) => random.pick(['NO', 'DE', 'FR'])), bad: 'XX' },
    { name: 'rating', kind: 'number', make: orNull((random) => random.integer(-4000, 4000) / 4), bad: 1001 },
    { name: 'active', kind: 'boolean', make: orNull((random) => random.chance(0.5)), bad: 'yes' },
    { name: 'born', kind: 'text', make: orNull(day), bad: '2001-02-29' },
  ],
};

const books: Resource = {
  name: 'books',
  singular: 'book',
  parent: null,
  clientId: false,
  search: ['title'],
  members: [
    'isbn',
    'title',
    'price',
    'pages',
    'serial',
    'released_at',
    'tags',
    'labels',
    'size',
    'status',
    'author_id',
    'title_length',
  ],
  fields: [
    {
      name: 'isbn',
      kind: 'text',
      required: true,
      immutable: true,
      make: (random) => `${random.integer(0, 1e9)}`,
      bad: '',
    },
    { name: 'title', kind: 'text', required: true, make: (random) => name(random, 30), bad: 7 },
    {
      name: 'price',
      kind: 'decimal',
      make: orNull((random) => (random.integer(-999_999, 999_999) / 100).toFixed(2).replace(/^-0\.00$/, '0.00')),
      bad: '1.005',
    },
    { name: 'pages', kind: 'number', make: orNull((random) => random.integer(1, 5000)), bad: 1.5 },
    {
      name: 'serial',
      kind: 'decimal',
      make: orNull((random) => String(BigInt(random.integer(-9e15, 9e15)) * 1000n)),
      bad: '9223372036854775808',
    },
    {
      name: 'released_at',
      kind: 'time',
      make: orNull((random) => new Date(random.integer(0, 2e12)).toISOString()),
      bad: '2001-02-29T00:00:00Z',
    },
    {
      name: 'tags',
      kind: 'list',
      make: (random) => Array.from({ length: random.integer(0, 4) }, () => random.text(8)),
      bad: ['x'.repeat(21)],
      preset: [],
    },
    {
      name: 'labels',
      kind: 'map',
      make: orNull((random) =>
        Object.fromEntries(
          Array.from({ length: random.integer(1, 4) }, () => [`k${random.integer(10, 99)}`, random.text(8)]),
        ),
      ),
      bad: { k: 1 },
    },
    {
      name: 'size',
      kind: 'object',
      make: orNull((random) => ({
        unit: random.pick(['mm', 'cm']),
        height: random.chance(0.3) ? null : random.integer(0, 99),
      })),
      bad: { height: 1 },
    },
  ],
};

const reviews: Resource = {
  name: 'reviews',
  singular: 'review',
  parent: books,
  clientId: false,
  search: [],
  members: ['stars', 'text'],
  fields: [{ name: 'stars', kind: 'number', required: true, make: (random) => random.integer(1, 5), bad: 6 }, text],
};

const replies: Resource = {
  name: 'replies',
  singular: 'reply',
  parent: reviews,
  clientId: true,
  search: [],
  members: ['text'],
  fields: [{ ...text, required: true, make: (random) => name(random, 40), bad: null }],
};

const notes: Resource = {
  name: 'notes',
  singular: 'note',
  parent: null,
  clientId: true,
  search: [],
  members: ['text', 'weight'],
  fields: [text, { name: 'weight', kind: 'number', make: orNull((random) => random.integer(-1e6, 1e6) / 8), bad: '5' }],
};

const orders: Resource = {
  name: 'orders',
  singular: 'order',
  parent: null,
  clientId: false,
  search: [],
  members: ['quantity', 'paid', 'memo'],
  fields: [
    { name: 'quantity', kind: 'number', make: (random) => random.integer(0, 1000), bad: -1, preset: 1 },
    { name: 'paid', kind: 'boolean', make: orNull((random) => random.chance(0.5)), bad: 0 },
    memo,
  ],
};

export const resources: readonly Resource[] = [authors, books, reviews, replies, notes, orders];

/** `book_id` and the like, nearest ancestor last. */
export function parentMembers(resource: Resource): readonly string[] {
  return resource.parent === null ? [] : [...parentMembers(resource.parent), `${resource.parent.singular}_id`];
}
