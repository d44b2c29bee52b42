import type { Item, Operator, OracleRelation } from '../../oracle/oracle-collection.ts';
import type { FieldKind, Value } from '../../oracle/values.ts';

/** Formats a value for a query. */
export type Spelt = readonly [value: Value, text: string];

/** Filterable and sortable fields with few values, so that there are many ties and nulls. */
export interface Field {
  readonly path: string;
  readonly kind: FieldKind;
  readonly values: readonly Value[];
  /** Additional filter values. */
  readonly spelt?: readonly Spelt[];
  readonly operators: readonly Operator[];
}

const ORDERED: readonly Operator[] = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'nin', 'exists'];
const TEXTUAL: readonly Operator[] = [...ORDERED, 'contains', 'starts_with'];

const FLOORS: readonly Value[] = [null, 1, 2];

export const FIELDS: readonly Field[] = [
  {
    path: 'text',
    kind: 'text',
    values: [null, '', 'a', 'A', 'b', 'a,b', 'é', 'e\u0301', '50%_', '\u{1f600}z', '\uFFFD'],
    spelt: [
      ['%', '%'],
      ['_', '_'],
      [',', ','],
      ['\u{1f600}', '\u{1f600}'],
      ['\\', '\\'],
      ['*', '*'],
    ],
    operators: TEXTUAL,
  },
  {
    path: 'note',
    kind: 'text',
    values: [null, 'Café-Bar', 'blue WINE', 'wine, rosé 42', 'Blue’s №7 МИР', 'e\u0301clair_x1'],
    operators: TEXTUAL,
  },
  { path: 'count', kind: 'number', values: [null, -1, 0, 1, 9_007_199_254_740_991], operators: ORDERED },
  { path: 'ratio', kind: 'number', values: [null, -1.5, 0, 0.25, 1e21], spelt: [[0.25, '25e-2']], operators: ORDERED },
  { path: 'truth', kind: 'boolean', values: [null, false, true], operators: ORDERED },
  { path: 'day', kind: 'text', values: [null, '2025-12-31', '2026-01-01', '2026-02-28'], operators: ORDERED },
  {
    path: 'at',
    kind: 'time',
    values: [
      null,
      '2026-01-01T00:00:00.000Z',
      '2026-01-01T02:00:00+02:00',
      '2025-12-31T23:59:59.999Z',
      '2026-01-01T00:00:00.001999Z',
      '1969-12-31T23:59:59.999Z',
    ],
    operators: ORDERED,
  },
  {
    path: 'price',
    kind: 'decimal',
    values: [null, '-1.50', '0.00', '9.00', '10.00'],
    spelt: [
      ['9.00', '9'],
      ['-1.50', '-1.5'],
    ],
    operators: ORDERED,
  },
  {
    path: 'weight',
    kind: 'decimal',
    values: [null, '-9.5', '-9.49', '0.001', '9', '10', '99999999999999999999.5'],
    spelt: [['9', '9.000']],
    operators: ORDERED,
  },
  {
    path: 'serial',
    kind: 'decimal',
    values: [null, '-10', '9', '9007199254740993', '9223372036854775807'],
    spelt: [['9007199254740992', '9007199254740992']],
    operators: ORDERED,
  },
  { path: 'level', kind: 'text', values: [null, 'LOW', 'MID', 'HIGH'], operators: ORDERED },
  { path: 'place.city', kind: 'text', values: [null, 'Oslo', 'oslo', 'Ås, N'], operators: TEXTUAL },
  { path: 'place.floor', kind: 'number', values: FLOORS, operators: ORDERED },
  { path: 'limit', kind: 'number', values: [null, 1, 2], operators: ORDERED },
  {
    path: 'tags',
    kind: 'list',
    values: [[], ['a'], ['a', 'b'], ['a,b', '%'], ['A']],
    operators: ['contains', 'exists'],
  },
  { path: 'maker_id', kind: 'text', values: [null, 'm1', 'm2', 'm3'], operators: ORDERED },
  { path: 'seller_ids', kind: 'list', values: [[], ['m1'], ['m3', 'm2'], ['m2']], operators: ['contains', 'exists'] },
];

/** The rows that the fields `maker_id` and `seller_ids` refer to. */
export const MAKERS: readonly Item[] = [
  { id: 'm1', country: 'NO', size: 1 },
  { id: 'm2', country: 'SE', size: 1 },
  { id: 'm3', country: null, size: 2 },
];

/** The relations of each collection, by name. */
export const RELATIONS: Readonly<Record<string, OracleRelation>> = {
  maker: { field: 'maker_id', rows: MAKERS },
  sellers: { field: 'seller_ids', rows: MAKERS },
};

/** The fields of related rows that filters compare. */
export const RELATED_FIELDS: readonly Field[] = Object.keys(RELATIONS).flatMap((name): readonly Field[] => [
  { path: `${name}.country`, kind: 'text', values: [null, 'NO', 'SE', 'DK'], operators: TEXTUAL },
  { path: `${name}.size`, kind: 'number', values: [null, 1, 2], operators: ORDERED },
]);

/** Top-level fields of a body. */
export const MEMBERS = [
  'text',
  'note',
  'count',
  'ratio',
  'truth',
  'day',
  'at',
  'price',
  'weight',
  'serial',
  'level',
  'place',
  'limit',
  'tags',
  'maker_id',
  'seller_ids',
  'memo',
] as const;

/** Every path of an item in filters and sorts. */
export const KINDS: Readonly<Record<string, FieldKind>> = {
  ...Object.fromEntries(FIELDS.map(({ path, kind }) => [path, kind])),
  created_at: 'time',
  updated_at: 'time',
  revision: 'number',
  memo: 'text',
};

/** Every path in filters and sorts. */
export const COMPARED_KINDS: Readonly<Record<string, FieldKind>> = {
  ...KINDS,
  ...Object.fromEntries(RELATED_FIELDS.map(({ path, kind }) => [path, kind])),
};

export const SEARCHED = ['text', 'note'];

export const PAGE = { default: 4, max: 6, countCap: 9 };

const schema = (required: string): string => `
    search: [${SEARCHED.join()}]
    schema:
      type: object
      required: [${required}]
      properties:
        text: { type: string }
        note: { type: string }
        count: { type: integer }
        ratio: { type: number }
        truth: { type: boolean }
        day: { type: string, format: date }
        at: { type: string, format: date-time }
        price: { type: string, format: decimal, x-precision: 12, x-scale: 2 }
        weight: { type: string, format: decimal }
        serial: { type: string, format: int64 }
        level: { type: string, enum: [LOW, MID, HIGH] }
        place: { type: object, properties: { city: { type: string }, floor: { type: integer } } }
        limit: { type: integer }
        tags: { type: array, items: { type: string } }
        maker_id: { type: string, x-references: makers }
        seller_ids: { type: array, items: { type: string, x-references: makers } }
        memo: { type: string }
`;

/** One schema in four collections: client ids and server ids, another time field, another default order, nested. */
export const MODEL = `
name: walks
version: 1.0.0
limits: { page: { default: ${PAGE.default}, max: ${PAGE.max}, count_cap: ${PAGE.countCap} } }
resources:
  makers:
    id: client
    indexes: [country]
    schema: { type: object, properties: { country: { type: string }, size: { type: integer } } }
  rows:
    id: client
    indexes: [count, [text, count], price]${schema('')}
  moments:
    time_field: at
    indexes: [at]${schema('at')}
  shelves:
    id: client
    schema: { type: object, properties: { name: { type: string } } }
  books:
    parent: shelves
    id: client
    sort: -count,text${schema('')}
`;

/** A collection under test. */
export interface Target {
  /** Path below the version, as in batches. */
  readonly path: string;
  readonly clientIds: boolean;
  readonly timeField: 'created_at' | 'at';
  /** The default sort. */
  readonly defaultSort: string;
  /** Other collections with the same schema, whose items must never appear. */
  readonly decoys: readonly string[];
}

export const TARGETS: readonly Target[] = [
  { path: '/rows', clientIds: true, timeField: 'created_at', defaultSort: 'created_at', decoys: [] },
  { path: '/moments', clientIds: false, timeField: 'at', defaultSort: 'created_at', decoys: [] },
  {
    path: '/shelves/s/books',
    clientIds: true,
    timeField: 'created_at',
    defaultSort: '-count,text',
    decoys: ['/shelves/t/books'],
  },
];
