import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Random } from '../../../scripts/campaign/random.ts';
import type { Json, JsonObject } from '../../../src/conventions/json/json.ts';
import { diffModels } from '../../../src/model/diff/diff-models.ts';
import { ModelError } from '../../../src/model/document/model-error.ts';
import { loadModel } from '../../../src/model/compile/load-model.ts';
import type { Model } from '../../../src/model/model.ts';
import { compileValidators, type ResourceValidator } from '../../../src/model/values/resource-validator.ts';

const PAIRS = 6000;

type Schema = Record<string, unknown>;

/** A random schema of a field: of few types and bounds, so that two of them are often comparable. */
function randomSchema(random: Random, depth = 1): Schema {
  const text: Schema = { type: 'string', ...maybe(random, 'minLength', 0, 2), ...maybe(random, 'maxLength', 2, 4) };
  const kind = random.pick([
    'text',
    'enum',
    'format',
    'number',
    'integer',
    'decimal',
    'int64',
    'array',
    'object',
    'map',
    'pattern',
  ]);
  switch (kind) {
    case 'text':
      return text;
    case 'pattern':
      return { ...text, pattern: random.pick(['^[a-z]*$', '^[a-y]*$']) };
    case 'enum':
      return { type: 'string', enum: random.pick([['a'], ['a', 'bb'], ['bb', 'ccc'], ['a', 'bb', 'ccc']]) };
    case 'format':
      return { type: 'string', format: random.pick(['date', 'email', 'date-time']) };
    case 'number':
    case 'integer':
      return {
        type: kind,
        ...maybe(random, 'minimum', 0, 2),
        ...maybe(random, 'exclusiveMinimum', 0, 2),
        ...maybe(random, 'maximum', 3, 5),
      };
    case 'decimal': {
      const scale = random.integer(0, 2);
      const digits = random.chance(0.5)
        ? { 'x-precision': scale + random.integer(1, 2), 'x-scale': scale }
        : maybe(random, 'x-scale', 0, 2);
      return { type: 'string', format: 'decimal', ...digits, ...maybe(random, 'maximum', 3, 5) };
    }
    case 'int64':
      return {
        type: 'string',
        format: 'int64',
        ...maybe(random, 'minimum', 0, 2),
        ...maybe(random, 'exclusiveMaximum', 3, 5),
      };
    default:
      return depth === 0 ? text : randomContainer(kind, random, depth - 1);
  }
}

function randomContainer(kind: string, random: Random, depth: number): Schema {
  const inner = randomSchema(random, depth);
  if (kind === 'array')
    return {
      type: 'array',
      items: inner,
      ...maybe(random, 'maxItems', 0, 2),
      ...(random.chance(0.3) ? { uniqueItems: true } : {}),
    };
  if (kind === 'map') return { type: 'object', additionalProperties: inner, ...maybe(random, 'maxProperties', 0, 2) };
  const other = random.chance(0.5) ? { b: randomSchema(random, depth) } : {};
  return {
    type: 'object',
    properties: { a: inner, ...other },
    required: random.some(['a', ...Object.keys(other)], 0.3),
  };
}

function maybe(random: Random, keyword: string, least: number, most: number): Schema {
  return random.chance(0.5) ? { [keyword]: random.integer(least, most) } : {};
}

/** A schema that differs from another one a little, or in everything. */
function randomChange(schema: Schema, random: Random): Schema {
  const other = randomSchema(random);
  if (other['type'] !== schema['type'] || random.chance(0.2)) return other;
  const keywords = [...new Set([...Object.keys(schema), ...Object.keys(other)])];
  const kept = new Set(random.some(keywords, 0.6));
  const entries = keywords.flatMap((keyword) => {
    const value = (kept.has(keyword) ? schema : other)[keyword];
    return value === undefined ? [] : [[keyword, value]];
  });
  return Object.fromEntries(entries);
}

interface Side {
  readonly model: Model;
  readonly validator: ResourceValidator;
}

/** A model with a field `x`; null where the schema contradicts itself. */
function loadSide(schema: Schema, random: Random): Side | null {
  const required = random.chance(0.3) ? ['x'] : [];
  const { type } = schema;
  const declared =
    typeof type === 'string' && type !== 'array' && random.chance(0.2) ? { ...schema, type: [type, 'null'] } : schema;
  const items = { schema: { type: 'object', required, properties: { x: declared } } };
  try {
    const { model } = loadModel({ text: JSON.stringify({ name: 'shop', resources: { items } }) });
    const validator = compileValidators(model).get('items') ?? assert.fail();
    return { model, validator };
  } catch (error) {
    if (error instanceof ModelError) return null;
    throw error;
  }
}

const SCALARS: readonly Json[] = [
  null,
  '',
  'a',
  'bb',
  'ccc',
  'z',
  'zzzz',
  'A',
  'abcde',
  0,
  1,
  1.5,
  2,
  3,
  4,
  5,
  6,
  -1,
  true,
  '0',
  '1',
  '2.5',
  '1.25',
  '3',
  '12',
  '123',
  '4.00',
  '-7',
  '2026-05-17',
  '2026-05-17T09:30:00Z',
  'ann@example.com',
];
const VALUES: readonly Json[] = [
  ...SCALARS,
  [],
  {},
  ...SCALARS.flatMap((each) => [[each], { a: each }, { k: each }, { a: each, b: 'a' }, { a: 'a', b: each }]),
  ['a', 'a'],
  ['a', 'bb'],
  [1, 2, 3],
  { k: 'a', l: 'bb' },
  { k: 1, l: 2, m: 3 },
];
const BODIES: readonly JsonObject[] = [{}, ...VALUES.map((x) => ({ x }))];

describe('the verdict of a difference', () => {
  it('[VER-6a] is breaking where a request that was accepted is refused, or a response has a value that no old one had', () => {
    const found = { requests: 0, responses: 0, neither: 0 };
    for (let seed = 0; seed < PAIRS; seed += 1) {
      const random = new Random(seed);
      const schema = randomSchema(random);
      const [was, is] = [loadSide(schema, random), loadSide(randomChange(schema, random), random)];
      if (was === null || is === null) continue;
      const { differences } = diffModels(was.model, is.model);
      const breaks = (side: 'requests' | 'responses'): boolean =>
        differences.some((each) => each[side].endsWith('breaking'));
      const at = `seed ${seed}: ${JSON.stringify([was, is].map(({ model }) => model.resources.get('items')?.schema))}`;
      let broken = false;
      for (const body of BODIES) {
        const before = was.validator.check(body, { unknown: 'refuse' });
        const after: ReturnType<ResourceValidator['check']> = is.validator.check(body, { unknown: 'refuse' });
        if (before.kind === 'valid' && after.kind === 'invalid') {
          assert.ok(breaks('requests'), `${at}: ${JSON.stringify(body)} is refused`);
          found.requests += 1;
          broken = true;
        }
        // An unset array is null in requests alone; clients ignore members that they do not know.
        if (after.kind !== 'valid' || body['x'] === null) continue;
        if (was.validator.check(after.values, { unknown: 'drop' }).kind === 'invalid') {
          assert.ok(breaks('responses'), `${at}: ${JSON.stringify(after.values)} is in responses`);
          found.responses += 1;
          broken = true;
        }
      }
      if (!broken) found.neither += 1;
    }
    // The pairs are of every kind.
    for (const count of Object.values(found)) assert.ok(count > PAIRS / 50, JSON.stringify(found));
  });
});
