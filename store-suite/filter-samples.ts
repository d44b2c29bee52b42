import type { Json } from '../src/conventions/json/json.ts';
import type { Member, Model, ValueType } from '../src/model/model.ts';
import type { CreatePlan } from '../src/plan/plan.ts';
import type { Store } from '../src/stores/store.ts';
import { field, model, resource } from './sample-model.ts';
import { commit, create } from './sample-writes.ts';

const TEXT: ValueType = { kind: 'text', format: null };
const DECIMAL: ValueType = { kind: 'decimal', precision: null, scale: null };
const array = (type: ValueType): ValueType => ({ kind: 'array', item: { type, nullable: false } });

/** A value type with the values of three rows in ascending order, and values between and around them. */
export interface ScalarSamples {
  readonly name: string;
  readonly type: ValueType;
  readonly values: readonly [Json, Json, Json];
  /**
   * Values before the first, between the first and second, between the second and third, and after the third; null if
   * there is none.
   */
  readonly between: readonly [Json, Json, Json, Json];
  /** Another notation of the second value. */
  readonly equivalent?: Json;
}

export const SCALARS: readonly ScalarSamples[] = [
  {
    name: 'text',
    type: TEXT,
    values: ['a', '\u{ffff}', '\u{1f600}'],
    between: ['B', 'é', '\u{10000}', '\u{1f600}a'],
  },
  { name: 'integer', type: { kind: 'integer' }, values: [-5, 0, 9_007_199_254_740_991], between: [-6, -1, 1, null] },
  { name: 'number', type: { kind: 'number' }, values: [-0.5, 0.1, 1e21], between: [-0.75, 0.05, 0.2, 1e22] },
  { name: 'boolean', type: { kind: 'boolean' }, values: [false, true, true], between: [null, null, null, null] },
  {
    name: 'date_time',
    type: { kind: 'date-time' },
    values: ['0001-01-01T00:00:00.000Z', '1969-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
    between: [null, '1969-12-31T23:59:59.998Z', '1970-01-01T00:00:00.000Z', null],
  },
  {
    name: 'money',
    type: { kind: 'decimal', precision: 12, scale: 2 },
    values: ['-1.01', '0.99', '10.00'],
    between: ['-1.015', '-1.005', '1.005', '10.001'],
    equivalent: '0.990',
  },
  {
    name: 'count',
    type: { kind: 'decimal', precision: 18, scale: 0 },
    values: ['-999999999999999999', '0', '999999999999999999'],
    between: ['-99999999999999999999', '-0.5', '0.5', '99999999999999999999'],
    equivalent: '0.0',
  },
  {
    name: 'decimal',
    type: DECIMAL,
    values: ['-10.5', '-9.5', '123456789012345678901234567'],
    between: ['-10.50001', '-10', '9', '123456789012345678901234567.1'],
    equivalent: '-9.500',
  },
  {
    name: 'int64',
    type: { kind: 'int64' },
    values: ['-9223372036854775808', '9', '9223372036854775807'],
    between: ['-9223372036854775809', '8', '10', '9223372036854775808'],
  },
];

const member = ({ name, type }: Pick<ScalarSamples, 'name' | 'type'>): Member => ({
  name,
  type,
  nullable: true,
  required: false,
});
const LISTS = [
  { name: 'texts', type: array(TEXT) },
  { name: 'decimals', type: array(DECIMAL) },
  { name: 'int64s', type: array({ kind: 'int64' }) },
  { name: 'times', type: array({ kind: 'date-time' }) },
];

/** A model with a field and an object member of every type that filters compare. */
export function thingsModel(): Model {
  const inner = [...SCALARS, ...LISTS].map(member);
  return model([
    resource({
      name: 'things',
      fields: [
        field('code', TEXT, { required: true }),
        ...SCALARS.map(({ name, type }) => field(name, type)),
        ...LISTS.map(({ name, type }) => field(name, type)),
        field('inside', {
          kind: 'object',
          members: [...inner, member({ name: 'deep', type: { kind: 'object', members: inner } })],
        }),
      ],
    }),
  ]);
}

/** Path prefixes: a field, an object member, and a member of a nested object. */
export const PREFIXES = ['', 'inside.', 'inside.deep.'] as const;
/** Ids of the rows with the first, second and third value of each type. */
export const IDS = ['first', 'second', 'third'];

/** A plan that creates a thing with field values and an object. Missing lists are empty, other missing fields null. */
export function createThing(id: string, values: Readonly<Record<string, Json>>, inside: Json): CreatePlan {
  const lists = Object.fromEntries(LISTS.map(({ name }) => [name, values[name] ?? []]));
  const scalars = Object.fromEntries(SCALARS.map(({ name }) => [name, values[name] ?? null]));
  return create('things', id, { code: id, ...scalars, ...lists, inside });
}

/**
 * Inserts the three rows of values, a row `hollow` whose object has only null members, and a row `unset` with only
 * nulls.
 */
export async function seedThings(store: Store): Promise<void> {
  const rows = IDS.map((id, index) => {
    const held = Object.fromEntries(SCALARS.map(({ name, values }) => [name, values[index] ?? null]));
    return createThing(id, held, { ...held, deep: held });
  });
  const hollow = Object.fromEntries([...SCALARS, ...LISTS].map(({ name }) => [name, null]));
  await commit(store, ...rows, createThing('hollow', {}, { ...hollow, deep: null }), createThing('unset', {}, null));
}
