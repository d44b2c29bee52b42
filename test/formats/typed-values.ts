import fc from 'fast-check';
import type { Json, JsonObject } from '../../src/conventions/json/json.ts';
import type { ObjectType } from '../../src/formats/typed-reader.ts';
import type { Member, Shape, ValueType } from '../../src/model/model.ts';

/** Any characters that a body may contain, often those with a special meaning in a format. */
const character = fc.oneof(
  fc.constantFrom(
    ...Array.from('\u0001\t\n\r\u000b\u001b\u007f\u0085 \'"&<>;,:=+-@[]{}%\\/#\ufffd\u2028'),
    '😀',
    'é',
    '\r\n',
    ']]>',
    '--',
  ),
  fc
    .string({ unit: 'binary', minLength: 1, maxLength: 1 })
    .filter((text) => !/[\0\p{Noncharacter_Code_Point}\p{Surrogate}]/u.test(text)),
);
const text = fc.oneof(
  fc.constant(''),
  fc.array(character, { maxLength: 8 }).map((characters) => characters.join('')),
);
const key = text.filter((name) => !['__proto__', 'constructor', 'prototype'].includes(name));
const name = fc
  .stringMatching(/^[a-z][a-z0-9_]{0,5}$/)
  .filter((each) => !['constructor', 'prototype', 'id', 'links'].includes(each));

/** Any JSON but null, with names that are array indexes, and texts with a meaning in JSON. */
const { anyJson } = fc.letrec<{ anyJson: Json; inner: Json }>((tie) => ({
  inner: fc.oneof({ maxDepth: 3 }, fc.constant(null), tie('anyJson')),
  anyJson: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    fc.oneof(text, fc.constantFrom('null', '3', 'true', '{}', '"x"')),
    fc.boolean(),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (value === 0 ? 0 : value)),
    fc.array(tie('inner'), { maxLength: 3 }),
    fc
      .uniqueArray(fc.tuple(fc.oneof(key, fc.constantFrom('0', '10', '2a')), tie('inner')), {
        maxLength: 3,
        selector: ([each]) => each,
      })
      .map(Object.fromEntries<Json>),
  ),
}));

const kinds: readonly ValueType[] = [
  { kind: 'text', format: null },
  { kind: 'integer' },
  { kind: 'number' },
  { kind: 'boolean' },
  { kind: 'date-time' },
  { kind: 'decimal', precision: null, scale: null },
  { kind: 'int64' },
  { kind: 'binary', mediaType: null },
  { kind: 'json' },
];

const { shape } = fc.letrec<{ shape: Shape; type: ValueType; members: readonly Member[] }>((tie) => ({
  shape: fc.record({ type: tie('type'), nullable: fc.boolean() }),
  type: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    fc.constantFrom(...kinds),
    fc.record({ kind: fc.constant('object' as const), members: tie('members') }),
    fc.record({ kind: fc.constant('map' as const), value: tie('shape') }),
    fc.record({ kind: fc.constant('array' as const), item: tie('shape') }),
  ),
  members: generateMembers(tie('shape')),
}));

function generateMembers(shapes: fc.Arbitrary<Shape>): fc.Arbitrary<readonly Member[]> {
  return fc
    .uniqueArray(fc.tuple(name, shapes), { minLength: 1, maxLength: 4, selector: ([each]) => each })
    .map((members) =>
      members.map(
        ([each, { type, nullable }]): Member => ({
          name: each,
          type,
          nullable: nullable && type.kind !== 'array',
          required: !nullable,
        }),
      ),
    );
}

function generateValue({ type, nullable }: Shape): fc.Arbitrary<Json> {
  const set = setValue(type);
  return nullable ? fc.option(set, { freq: 4 }) : set;
}

function setValue(type: ValueType): fc.Arbitrary<Json> {
  switch (type.kind) {
    case 'text':
      return text;
    case 'integer':
      return fc.maxSafeInteger().map((value) => (value === 0 ? 0 : value));
    case 'number':
      return fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (value === 0 ? 0 : value));
    case 'boolean':
      return fc.boolean();
    case 'date-time':
      return fc
        .date({ min: new Date(0), max: new Date('9999-01-01'), noInvalidDate: true })
        .map((date) => date.toISOString());
    case 'decimal':
      return fc.tuple(fc.integer(), fc.nat(99)).map(([whole, part]) => `${whole}.${String(part).padStart(2, '0')}`);
    case 'int64':
      return fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String);
    case 'binary':
      // A form cannot distinguish empty bytes from null (NEG-5: an empty value is null).
      return fc.uint8Array({ minLength: 1, maxLength: 6 }).map((bytes) => Buffer.from(bytes).toString('base64'));
    case 'json':
      return anyJson;
    case 'object':
      return generateObject(type.members);
    case 'map':
      return fc
        .uniqueArray(fc.tuple(key, generateValue(type.value)), { maxLength: 3, selector: ([each]) => each })
        .map(Object.fromEntries<Json>);
    case 'array':
      return fc.array(generateValue(type.item), { maxLength: 3 });
  }
}

function generateObject(members: readonly Member[]): fc.Arbitrary<JsonObject> {
  return fc
    .tuple(...members.map((member) => generateValue(member)))
    .map((values) => Object.fromEntries(members.map((member, index) => [member.name, values[index] ?? null])));
}

/** A type as compiled from a schema, and a value of it in its stored form, with every member. */
export interface TypedValue {
  readonly type: ObjectType;
  readonly value: JsonObject;
}

/** Any value that a schema may allow, with its type. */
export function typedValue(): fc.Arbitrary<TypedValue> {
  return generateMembers(shape)
    .map((members): ObjectType => ({ kind: 'object', members }))
    .chain((type) => generateObject(type.members).map((value) => ({ type, value })));
}
