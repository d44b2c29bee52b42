import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { after, before, describe, it } from 'node:test';

const root = path.join(import.meta.dirname, '..', '..');

/** Schemas of three libraries with the same fields. */
const PROLOGUE = `
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import { Type } from 'typebox';
import * as v from 'valibot';
import { z } from 'zod';
import { type DefinedResource, defineModel, resource } from '../../src/index.ts';

const plain = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string' },
    price: { type: 'number' },
    status: { type: 'string', enum: ['DRAFT', 'ACTIVE'] },
    tags: { type: 'array', items: { type: 'string' } },
    address: { type: 'object', properties: { city: { type: 'string' }, floor: { type: 'integer' } } },
    labels: { type: 'object', additionalProperties: { type: 'string' } },
    money: { $ref: '#/$defs/Money' },
  },
} as const;
const zod = z.object({ name: z.string(), status: z.enum(['DRAFT', 'ACTIVE']), address: z.object({ city: z.string() }).optional() });
const ark = type({ name: 'string', status: "'DRAFT' | 'ACTIVE'", 'address?': { city: 'string' } });
const box = Type.Object({ name: Type.String(), status: Type.Enum(['DRAFT', 'ACTIVE']), address: Type.Object({ city: Type.String() }) });
const val = toStandardJsonSchema(v.object({ name: v.string(), status: v.picklist(['DRAFT', 'ACTIVE']), address: v.object({ city: v.string() }) }));
const wide: DefinedResource = resource({ schema: plain });
const refers = (target: string) => ({ type: 'object', properties: { maker_id: { type: 'string', 'x-references': target } } }) as const;
const some: object = {};
declare const unknown: { readonly type: 'object'; readonly properties?: object };
`;

const right: readonly (readonly [title: string, code: string])[] = [
  [
    'indexes of fields, members and system fields',
    `resource({ schema: plain, indexes: ['price', ['address.city', 'created_at']] })`,
  ],
  [
    'members of a definition',
    `resource({ schema: plain, indexes: ['money', 'money.amount'], state: { field: 'status', initial: 'DRAFT', transitions: {} } })`,
  ],
  ['a search in texts and lists of texts', `resource({ schema: plain, search: ['name', 'tags', 'address.city'] })`],
  ['a sort of several keys', `resource({ schema: plain, sort: '-price,address.city,id' })`],
  ['a sort that is not a literal', `resource({ schema: plain, sort: String(some) })`],
  [
    'the id of a parent',
    `resource({ schema: plain, parent: 'shops', unique: [['shop_id', 'name']], sort: 'shop_id', indexes: [['shop_id', 'price']] })`,
  ],
  [
    'sortable and filterable',
    `resource({ schema: plain, sortable: ['price', 'revision'], filterable: ['tags', 'address.floor'] })`,
  ],
  [
    'states and guarded transitions',
    `resource({ schema: plain, state: { field: 'status', initial: 'DRAFT', transitions: { DRAFT: ['ACTIVE'], ACTIVE: [{ to: 'DRAFT', scope: 'x' }] } } })`,
  ],
  ...['zod', 'ark', 'box', 'val'].map((library): [string, string] => [
    `names in a schema of ${library}`,
    `resource({ schema: ${library}, search: ['name', 'address.city'], sort: '-name', unique: [['name']], state: { field: 'status', initial: 'DRAFT', transitions: { DRAFT: ['ACTIVE'] } } })`,
  ]),
  [
    'any name where the fields are unknown',
    `resource({ schema: unknown, indexes: ['a'], sort: 'b,c', search: ['d'], state: some, unique: [['e']] })`,
  ],
  [
    'references between resources and to itself',
    `defineModel({ name: 'a', resources: { makers: resource({ schema: plain }), cars: resource({ schema: { type: 'object', properties: { maker_id: { type: 'string', 'x-references': 'makers' }, like_ids: { type: 'array', items: { type: 'string', 'x-references': { resource: 'cars' } } } } } }) } })`,
  ],
  [
    'references that are not literals',
    `defineModel({ name: 'a', resources: { wide, cars: resource({ schema: refers(String(some)) }) } })`,
  ],
  [
    'inferred drafts in place',
    `defineModel({ name: 'a', resources: { cars: resource({ schema: plain, indexes: ['name'], before: { create: (draft, { at }) => ({ ...draft, name: draft.name + at }) }, check: { price: (value) => value.toFixed(1) } }) } })`,
  ],
  [
    'a transform to the same type',
    `resource({ schema: z.object({ a: z.string().transform((text) => text.trim()), b: z.coerce.number(), c: z.string().brand<'C'>(), d: z.string().default('x') }) })`,
  ],
];

const wrong: readonly (readonly [title: string, code: string, says: RegExp])[] = [
  [
    'an index',
    `resource({ schema: plain, indexes: ['nmae'] })`,
    /Type '"nmae"' is not assignable to type '"address\.city" .*"price" /,
  ],
  ['a list in an index', `resource({ schema: plain, indexes: [['price', 'colour']] })`, /'"colour"' is not assignable/],
  ['an array in an index', `resource({ schema: plain, indexes: ['tags'] })`, /'"tags"' is not assignable/],
  ['a map in an index', `resource({ schema: plain, indexes: ['labels'] })`, /'"labels"' is not assignable/],
  ['an object in an index', `resource({ schema: plain, indexes: ['address'] })`, /'"address"' is not assignable/],
  [
    'a member in an index',
    `resource({ schema: plain, indexes: ['address.town'] })`,
    /'"address.town"' is not assignable/,
  ],
  ['search', `resource({ schema: plain, search: ['colour'] })`, /'"colour"' is not assignable/],
  ['a number in search', `resource({ schema: plain, search: ['price'] })`, /'"price"' is not assignable/],
  ['sort', `resource({ schema: plain, sort: '-colour' })`, /'"-colour"' is not assignable to type .*"-price"/],
  [
    'the second key of sort',
    `resource({ schema: plain, sort: 'name,colour' })`,
    /'"name,colour"' is not assignable to type '"name,/,
  ],
  ['unique', `resource({ schema: plain, unique: [['name', 'colour']] })`, /'"colour"' is not assignable/],
  ['sortable', `resource({ schema: plain, sortable: ['colour'] })`, /'"colour"' is not assignable/],
  ['filterable', `resource({ schema: plain, filterable: ['colour'] })`, /'"colour"' is not assignable/],
  ['time_field', `resource({ schema: plain, time_field: 'colour' })`, /'"colour"' is not assignable/],
  [
    'the field of state',
    `resource({ schema: plain, state: { field: 'colour', initial: 'DRAFT', transitions: {} } })`,
    /'"colour"' is not assignable to type .*"status"/,
  ],
  [
    'the initial state',
    `resource({ schema: zod, state: { field: 'status', initial: 'DRFT', transitions: {} } })`,
    /'"DRFT"' is not assignable to type '"ACTIVE" \| "DRAFT"'\. Did you mean '"DRAFT"'/,
  ],
  [
    'a transition from',
    `resource({ schema: zod, state: { field: 'status', initial: 'DRAFT', transitions: { DRFT: [] } } })`,
    /'DRFT' does not exist/,
  ],
  [
    'a transition to',
    `resource({ schema: zod, state: { field: 'status', initial: 'DRAFT', transitions: { DRAFT: ['ACTIV'] } } })`,
    /'"ACTIV"' is not assignable/,
  ],
  [
    'computed.from',
    `resource({ schema: plain, computed: { a: { schema: { type: 'string' }, from: ['colour'], value: () => '' } } })`,
    /'"colour"' is not assignable to type .*"price"/,
  ],
  ['a check', `resource({ schema: plain, check: { colour: () => null } })`, /'colour' does not exist/],
  [
    'a parent id without a parent',
    `resource({ schema: plain, indexes: ['shop_id'] })`,
    /'"shop_id"' is not assignable/,
  ],
  ...['zod', 'ark', 'box', 'val'].map((library): [string, string, RegExp] => [
    `an index in a schema of ${library}`,
    `resource({ schema: ${library}, indexes: ['name', 'address.town'] })`,
    /'"address.town"' is not assignable/,
  ]),
  [
    'a reference',
    `defineModel({ name: 'a', resources: { makers: resource({ schema: plain }), cars: resource({ schema: { type: 'object', properties: { maker_id: { type: 'string', 'x-references': 'maker' } } } }) } })`,
    /'"maker"' is not assignable to type '"cars" \| "makers" .*Did you mean '"makers"'/,
  ],
  [
    'a reference of an array',
    `defineModel({ name: 'a', resources: { cars: resource({ schema: { type: 'object', properties: { like_ids: { type: 'array', items: { type: 'string', 'x-references': { resource: 'car' } } } } } }) } })`,
    /"car".* is not assignable/s,
  ],
  [
    'a parent',
    `defineModel({ name: 'a', resources: { cars: resource({ schema: plain, parent: 'makers' }) } })`,
    /"makers".* is not assignable/s,
  ],
  [
    'a parent in its long form',
    `defineModel({ name: 'a', resources: { cars: resource({ schema: plain, parent: { resource: 'makers' } }) } })`,
    /"makers".* is not assignable/s,
  ],
  [
    'a transform to another type',
    `resource({ schema: z.object({ at: z.string().transform((text) => new Date(text)) }) })`,
    /a transform returns another type than clients send and read/,
  ],
];

describe('the names in a TypeScript model', () => {
  let folder = '';
  /** The messages of the compiler by line of the file, from 1. */
  const messages = new Map<number, string>();
  const firstCase = PROLOGUE.split('\n').length;
  before(() => {
    mkdirSync(path.join(root, '.cache'), { recursive: true });
    folder = mkdtempSync(path.join(root, '.cache', 'names-'));
    const cases = [...right, ...wrong].map(([, code], index) => `export const case${index} = ${code};`);
    writeFileSync(path.join(folder, 'names.ts'), `${PROLOGUE}${cases.join('\n')}\n`);
    const compilerOptions = { noUnusedLocals: false };
    const config = { extends: '../../tsconfig.json', compilerOptions, include: ['names.ts'] };
    writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify(config));
    const tsc = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc');
    const { stdout } = spawnSync(process.execPath, [tsc, '-p', folder, '--pretty', 'false'], { encoding: 'utf8' });
    for (const message of stdout.split(/^(?=\S)/m)) {
      const [, line] = /names\.ts\((\d+),\d+\)/.exec(message) ?? assert.fail(message);
      messages.set(Number(line), (messages.get(Number(line)) ?? '') + message);
    }
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  for (const [index, [title]] of right.entries())
    it(`may be ${title}`, () => assert.equal(messages.get(firstCase + index) ?? '', ''));
  for (const [index, [title, , says]] of wrong.entries())
    it(`are checked by the compiler: ${title}`, () =>
      assert.match(messages.get(firstCase + right.length + index) ?? 'no error', says));
});
