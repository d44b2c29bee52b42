import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Json, JsonObject } from '../../../../src/conventions/json/json.ts';
import { loadModel } from '../../../../src/model/compile/load-model.ts';
import type { Field, Model, Resource, ValueType } from '../../../../src/model/model.ts';
import { readArray, readObject } from '../../../../src/model/values/access.ts';
import { comparableResources } from './older.ts';

/** Makes choices by a list of numbers, so that a property can shrink them. */
class Choices {
  readonly #numbers: readonly number[];
  #next = 0;

  constructor(numbers: readonly number[]) {
    this.#numbers = numbers;
  }

  below(limit: number): number {
    const number = this.#numbers[this.#next] ?? 0;
    this.#next += 1;
    return number % limit;
  }

  one<T>(values: readonly [T, ...T[]]): T {
    return values[this.below(values.length)] ?? values[0];
  }

  /** Null where there are none. */
  oneOf<T>(values: readonly T[]): T | null {
    return values[this.below(Math.max(values.length, 1))] ?? null;
  }

  some<T>(values: readonly T[]): T[] {
    return values.filter(() => this.below(2) === 1);
  }
}

const numbers = fc.array(fc.nat(1000), { minLength: 40, maxLength: 160 });

const PLAIN: readonly [JsonObject, ...JsonObject[]] = [
  { type: 'string' },
  { type: 'integer', minimum: 1 },
  { type: 'string', enum: ['A', 'B', 'C'], default: 'A' },
  { type: 'string', format: 'date-time' },
  { type: 'array', items: { type: 'string', enum: ['A', 'B'] } },
  { type: 'object', required: ['a'], properties: { a: { type: 'string' }, b: { type: 'integer' } } },
];

function randomSchema(choose: Choices, resource: string, field: string): JsonObject {
  if (!field.endsWith('_id')) return choose.one([...PLAIN, { type: 'string', 'x-unique': true }]);
  const long = { resource: 'tops', as: 'head', inverse: `${resource}_tails` };
  return { type: 'string', 'x-references': choose.one<Json>(['tops', long]) };
}

function randomResource(choose: Choices, resource: string, parent: string | null): JsonObject {
  const names = choose.some(['f1', 'f2_id', 'f3', 'f4', 'f5']);
  const fields = names.map((name) => [name, randomSchema(choose, resource, name)] as const);
  const scalars = fields.filter(([, { type }]) => type === 'string' || type === 'integer').map(([name]) => name);
  const texts = fields
    .filter(([, schema]) => schema['type'] === 'string' && !('format' in schema))
    .map(([name]) => name);
  const members = fields.filter(([, { type }]) => type === 'object').map(([name]) => `${name}.a`);
  const state = fields.find(([, schema]) => 'enum' in schema && choose.below(2) === 1)?.[0];
  const paths = [...scalars, ...members, ...(parent === null ? [] : [`${parent}_id`])];
  return {
    schema: {
      type: 'object',
      required: choose.some(fields.map(([name]) => name)),
      properties: Object.fromEntries(fields),
    },
    ...(parent === null ? {} : { parent: `${parent}s` }),
    ...(paths.length === 0 ? {} : { indexes: [paths[0] ?? '', paths], sort: paths.slice(0, 3).join() }),
    ...(scalars.length === 0 ? {} : { unique: [scalars] }),
    search: choose.some([...texts, ...members]),
    ...(state === undefined ? {} : { state: { field: state, initial: 'A', transitions: { A: ['B'], B: ['A', 'C'] } } }),
  };
}

function randomDocument(choose: Choices): JsonObject {
  return {
    name: 'shop',
    version: '9.0.0',
    resources: {
      tops: randomResource(choose, 'tops', null),
      mids: randomResource(choose, 'mids', choose.one(['top', null])),
      lows: randomResource(choose, 'lows', choose.one(['mid', null])),
    },
  };
}

/**
 * A change that the successor allows; null where it allows none of the chosen kind.
 *
 * @param fresh a name that is not in use
 */
function randomChange(choose: Choices, successor: Model, fresh: string): JsonObject | null {
  const resource = choose.oneOf([...successor.resources.values()]);
  if (resource === null) return null;
  const change = randomPart(choose, resource, fresh);
  return change === null ? null : { resource: resource.name, ...change };
}

function randomPart(choose: Choices, resource: Resource, fresh: string): JsonObject | null {
  const own = resource.fields.filter(({ name }) => name !== resource.parent?.field);
  const field = choose.oneOf(own);
  const object = own.find(({ type }) => type.kind === 'object');
  const member = object?.type.kind === 'object' ? object.type.members[0] : undefined;
  const kind = choose.below(9);
  if (kind === 0) return { with: { [fresh]: { schema: choose.one(PLAIN) } } };
  if (kind === 1) return { collection: `${fresh}s` };
  if (kind === 2) return choose.below(4) === 0 ? { absent: true } : null;
  if (field === null) return null;
  if (kind === 3) return { rename: { [field.reference === null ? fresh : `${fresh}_id`]: field.name } };
  if (kind === 4) return withoutField(resource, field);
  if (kind === 5) return { move: { [`${fresh}.inner`]: field.name } };
  if (kind === 6) {
    const [first] = readArray(fieldSchema(resource, field.name)['enum']);
    return first === undefined ? null : { values: { [field.name]: { [fresh]: first } } };
  }
  if (object === undefined || member === undefined) return null;
  const path = `${object.name}.${member.name}`;
  return kind === 7 ? { move: { [fresh]: path } } : { rename: { [`${object.name}.${fresh}`]: path } };
}

function withoutField(resource: Resource, { name, type, required, ...field }: Field): JsonObject {
  const isNeeded = required && field.default === undefined;
  return { without: [name], ...(isNeeded ? { fill: { [name]: sampleValue(type, fieldSchema(resource, name)) } } : {}) };
}

function fieldSchema({ schema }: Resource, name: string): JsonObject {
  return readObject(readObject(schema['properties'])[name]);
}

function sampleValue(type: ValueType, schema: JsonObject): Json {
  const [first] = readArray(schema['enum']);
  if (type.kind === 'integer') return 1;
  if (type.kind === 'date-time') return '2026-01-01T00:00:00Z';
  if (type.kind === 'array') return [];
  if (type.kind !== 'object') return first ?? 'A';
  const members = type.members.filter(({ required }) => required);
  return Object.fromEntries(members.map((member) => [member.name, sampleValue(member.type, {})]));
}

function loaded(document: JsonObject, versions: readonly (readonly [string, JsonObject])[]): Model {
  const text = JSON.stringify({ ...document, default_version: 9, versions: Object.fromEntries(versions) });
  return loadModel({ file: 'model.json', text }).model;
}

describe('a chain of up to five versions', () => {
  it('[VER-5a] compiles, whatever the model and the changes', () => {
    let derived = 0;
    fc.assert(
      fc.property(numbers, (chosen) => {
        const choose = new Choices(chosen);
        const document = randomDocument(choose);
        const versions: [string, JsonObject][] = [];
        let last = loaded(document, []);
        for (let minor = 5; minor > 0; minor -= 1) {
          const change = randomChange(choose, last, `n${minor}`);
          if (change === null) continue;
          versions.push([`8.${minor}.0`, { changes: [change] }]);
          const older = loaded(document, versions).versions.at(-1);
          assert.ok(older !== undefined);
          assert.notDeepEqual(comparableResources(older.model), comparableResources(last));
          last = older.model;
          derived += 1;
        }
      }),
      { numRuns: 80 },
    );
    assert.ok(derived > 80, `${derived} versions were derived`);
  });

  it('[VER-5a] of renames and their inverse gives the first model', () => {
    fc.assert(
      fc.property(numbers, (chosen) => {
        const choose = new Choices(chosen);
        const document = randomDocument(choose);
        const newest = loaded(document, []);
        const renames = [...newest.resources.values()].map(({ name, singular, collection, fields, parent }) => {
          const own = fields.filter((field) => field.name !== parent?.field).map((field) => field.name);
          return { name, singular, collection, own: choose.some(own) };
        });
        const there = renames.map(({ name, own }) => ({
          resource: name,
          collection: `${name}x`,
          singular: `${name}y`,
          ...(own.length === 0 ? {} : { rename: Object.fromEntries(own.map((field) => [`z${field}`, field])) }),
        }));
        const back = renames.map(({ name, singular, collection, own }) => ({
          resource: name,
          collection,
          singular,
          ...(own.length === 0 ? {} : { rename: Object.fromEntries(own.map((field) => [field, `z${field}`])) }),
        }));
        const { versions } = loaded(document, [
          ['8.1.0', { changes: there }],
          ['8.0.0', { changes: back }],
        ]);
        const [between, first] = versions;
        assert.ok(between !== undefined && first !== undefined);
        assert.notDeepEqual(comparableResources(between.model), comparableResources(newest));
        assert.deepEqual(comparableResources(first.model), comparableResources(newest));
      }),
      { numRuns: 50 },
    );
  });
});
