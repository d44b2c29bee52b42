import type { Json, JsonObject } from '../conventions/json/json.ts';
import type { Member, Shape, TextFormat, ValueType } from '../model/model.ts';
import { readArray, toDigits, readNumber, readObject, readString } from '../model/values/access.ts';
import { allowedValues } from '../model/values/assertion.ts';
import { compareNumbers, decimalError } from '../model/values/exact-number.ts';
import { compilePattern } from '../model/values/pattern.ts';

/** The time and the id of all examples. */
export const EXAMPLE_TIME = '2026-05-17T09:30:00.000Z';
export const EXAMPLE_ID = '0198c0de-7a1b-7c3d-8e4f-5a6b7c8d9e0f';

const TEXTS: Readonly<Record<TextFormat, string>> = {
  date: '2030-01-31',
  time: '12:00:00Z',
  duration: 'PT1H',
  uuid: '00000000-0000-4000-8000-000000000000',
  email: 'name@example.com',
  uri: 'https://example.com',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
};

/** Texts of which one may match a pattern. */
const SAMPLES = [
  'text',
  'Text',
  'TEXT',
  'AB',
  'ABC',
  'A',
  'a',
  '1',
  '12',
  '123',
  '1234',
  '12345',
  'A1',
  'AB1',
  'ABC1',
  'ABC-1',
  'abc-1',
  'text-1',
  '+4712345678',
];

/** A valid value of a field or a member; null where none is known. @param declared its JSON Schema, `$ref`s resolved */
export function exampleValue(shape: Shape & Partial<Pick<Member, 'default'>>, declared: JsonObject): Json {
  const [own] = readArray(declared['examples']);
  if (own !== undefined) return own;
  const [allowed] = allowedValues(declared) ?? [];
  return shape.default ?? allowed ?? makeExample(shape.type, declared);
}

function makeExample(type: ValueType, declared: JsonObject): Json {
  switch (type.kind) {
    case 'text':
      return findSample(type.format === null ? SAMPLES : [TEXTS[type.format]], declared);
    case 'integer':
    case 'number':
      return numberWithin(declared);
    case 'boolean':
      return true;
    case 'date-time':
      return '2030-01-31T12:00:00Z';
    case 'decimal':
      return digitsWithin(declared, (text) => decimalError(text, type) === null);
    case 'int64':
      return digitsWithin(declared);
    case 'binary':
      return findSample(['AAAA', '', 'AAAAAAAA', 'AAAAAAAAAAAAAAAA'], declared);
    case 'object':
      return objectWith(type.members, declared);
    case 'map':
      return (readNumber(declared['minProperties']) ?? 0) > 0 ? null : {};
    case 'array':
      return makeItems(type.item, declared);
    case 'json':
      return { theme: 'dark', size: 3 };
  }
}

function findSample(samples: readonly string[], declared: JsonObject): string | null {
  const [least, most] = [readNumber(declared['minLength']) ?? 0, readNumber(declared['maxLength']) ?? Infinity];
  const source = readString(declared['pattern']);
  const pattern = source === null ? null : compilePattern(source);
  const padded = [
    ...samples,
    ...samples.map((text) => text.repeat(Math.max(1, Math.ceil(least / Math.max(text.length, 1)))).slice(0, most)),
  ];
  return padded.find((text) => text.length >= least && text.length <= most && pattern?.test(text) !== false) ?? null;
}

function numberWithin(declared: JsonObject): number | null {
  const digits = digitsWithin(declared);
  return digits === null ? null : Number(digits);
}

/** The first number, as digits, that the bounds allow. */
function digitsWithin(declared: JsonObject, isValid = (_text: string): boolean => true): string | null {
  const bound = (keyword: string): string | null => toDigits(declared[keyword]);
  const next = (text: string | null, step: number): readonly string[] =>
    text === null ? [] : [String(Number(text) + step)];
  const given = [bound('minimum'), bound('maximum')].filter((text) => text !== null);
  const samples = ['1', '0', ...given, ...next(bound('exclusiveMinimum'), 1), ...next(bound('exclusiveMaximum'), -1)];
  const allows = (text: string): boolean => {
    const compared = (keyword: string, other: number): number => {
      const limit = bound(keyword);
      return limit === null ? other : compareNumbers(text, limit);
    };
    return (
      compared('minimum', 0) >= 0 &&
      compared('maximum', 0) <= 0 &&
      compared('exclusiveMinimum', 1) > 0 &&
      compared('exclusiveMaximum', -1) < 0
    );
  };
  return samples.find((text) => isValid(text) && allows(text)) ?? null;
}

/** The object with its members that have to be there, or of which a value is known. */
function objectWith(members: readonly Member[], declared: JsonObject): JsonObject | null {
  const properties = readObject(declared['properties']);
  const values = members.map((member) => ({
    member,
    value: exampleValue(member, readObject(properties[member.name])),
  }));
  if (values.some(({ member, value }) => member.required && value === null)) return null;
  return Object.fromEntries(
    values.map(({ member, value }) => [member.name, value ?? (member.type.kind === 'array' ? [] : null)]),
  );
}

function makeItems(item: Shape, declared: JsonObject): readonly Json[] | null {
  const least = readNumber(declared['minItems']) ?? 0;
  const sample = exampleValue(item, readObject(declared['items']));
  if (sample === null) return least === 0 ? [] : null;
  return least <= 1 ? [sample] : declared['uniqueItems'] === true ? null : Array.from({ length: least }, () => sample);
}
