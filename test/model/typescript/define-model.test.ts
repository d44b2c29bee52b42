import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type } from 'arktype';
import { Type } from 'typebox';
import { z } from 'zod';
import { type DefinedModel, defineModel, resource } from '../../../src/model/typescript/define-model.ts';
import { formatProblem, ModelError } from '../../../src/model/document/model-error.ts';
import { loadDefinition, type LoadedModel } from '../../../src/model/compile/load-model.ts';

function load(defined: DefinedModel, env: Record<string, string> = {}): LoadedModel {
  return loadDefinition({ file: 'shop.ts', defined, env });
}

function definitionProblems(defined: DefinedModel): readonly string[] {
  try {
    load(defined);
    return [];
  } catch (error) {
    assert.ok(error instanceof ModelError);
    return error.problems.map(formatProblem);
  }
}

const PLAIN = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string', minLength: 1 },
    stock: { type: 'integer' },
    secret: { type: 'string', writeOnly: true },
  },
} as const;

/** A model of one resource, with any members, like a JavaScript module. */
function items(code: object): DefinedModel {
  return defineModel({ name: 'shop', resources: { items: Object.assign(resource({ schema: PLAIN }), code) } });
}

describe('a TypeScript model', () => {
  it('compiles like the same document', () => {
    const { model } = load(items({ unique: [['name']], sort: '-name' }));
    const item = model.resources.get('items');
    assert.deepEqual(
      item?.fields.map(({ name, required, writeOnly }) => [name, required, writeOnly]),
      [
        ['name', true, false],
        ['stock', false, false],
        ['secret', false, true],
      ],
    );
    assert.deepEqual(item?.sort, [
      { path: 'name', descending: true },
      { path: 'id', descending: true },
    ]);
  });

  const schemas: readonly (readonly [library: string, schema: Parameters<typeof resource>[0]['schema']])[] = [
    [
      'JSON Schema',
      {
        type: 'object',
        required: ['name'],
        properties: {
          name: { type: 'string' },
          stock: { type: 'integer' },
          kind: { type: 'string', enum: ['A', 'B'] },
          at: { type: 'string', format: 'date-time' },
          sku: { type: 'string', 'x-unique': true },
        },
      },
    ],
    [
      'TypeBox',
      Type.Object({
        name: Type.String(),
        stock: Type.Optional(Type.Integer()),
        kind: Type.Optional(Type.Enum(['A', 'B'])),
        at: Type.Optional(Type.String({ format: 'date-time' })),
        sku: Type.Optional(Type.String({ 'x-unique': true })),
      }),
    ],
    [
      'Zod',
      z.object({
        name: z.string(),
        stock: z.int().optional(),
        kind: z.enum(['A', 'B']).optional(),
        at: z.iso.datetime().optional(),
        sku: z.string().meta({ 'x-unique': true }).optional(),
      }),
    ],
    ['ArkType', type({ name: 'string', 'stock?': 'number.integer', 'kind?': "'A' | 'B'", 'at?': 'string.date.iso' })],
  ];
  for (const [library, schema] of schemas) {
    it(`accepts a schema of ${library}`, () => {
      const { model } = load(defineModel({ name: 'shop', resources: { items: resource({ schema }) } }));
      const fields = model.resources.get('items')?.field;
      assert.deepEqual(fields?.get('name')?.type, { kind: 'text', format: null });
      assert.equal(fields?.get('name')?.required, true);
      assert.deepEqual(fields?.get('stock'), { ...fields?.get('stock'), type: { kind: 'integer' }, nullable: true });
      assert.equal(fields?.get('kind')?.type.kind, 'text');
      if (library !== 'ArkType') {
        assert.equal(fields?.get('at')?.type.kind, 'date-time');
        assert.deepEqual(model.resources.get('items')?.uniques, [['sku']]);
      }
    });
  }

  it('replaces ${NAME} like a document', () => {
    const defined = defineModel({ name: 'shop', title: '${TITLE}', resources: { items: resource({ schema: PLAIN }) } });
    assert.equal(load(defined, { TITLE: 'Mine' }).model.title, 'Mine');
    assert.match(definitionProblems(defined)[0] ?? '', /^shop\.ts: title: .*TITLE is not set/);
  });

  it('changes its fingerprint with its functions', () => {
    const computed = (value: (row: never) => unknown): object => ({
      computed: { a: { schema: { type: 'integer' }, from: ['name'], value } },
    });
    const one = load(items(computed(() => 1))).model.fingerprint;
    assert.equal(load(items(computed(() => 1))).model.fingerprint, one);
    assert.notEqual(load(items(computed(() => 2))).model.fingerprint, one);
  });

  it('can generate values of any type by functions, which change its fingerprint', () => {
    const generated = (stock: unknown): LoadedModel => load(items({ generated: { stock } }));
    const { model } = generated(() => 1);
    const stock = model.resources.get('items')?.field.get('stock');
    assert.deepEqual([stock?.readOnly, stock?.generator?.kind], [true, 'code']);
    assert.notEqual(generated(() => 2).model.fingerprint, model.fingerprint);
  });

  it('reports a function that generates the state, or a field with a default', () => {
    const schema = {
      type: 'object',
      required: [],
      properties: { phase: { type: 'string', enum: ['A', 'B'], default: 'A' } },
    } as const;
    const state = { field: 'phase', initial: 'A', transitions: {} } as const;
    const phases = resource({ schema, state, generated: { phase: () => 'B' as const } });
    const problems = definitionProblems(defineModel({ name: 'shop', resources: { phases } })).join();
    assert.match(problems, /phases\.generated\.phase: phase is the state/);
    assert.match(problems, /properties\.phase\.default: default does not apply to a generated value/);
  });

  it('changes its fingerprint with the source of its modules', () => {
    const read = (text: string): string =>
      loadDefinition({ file: 'shop.ts', defined: items({}), env: {}, text }).model.fingerprint;
    assert.equal(read('const rate = 1;'), read('const rate = 1;'));
    assert.notEqual(read('const rate = 2;'), read('const rate = 1;'));
  });

  it('can use definitions of the model in computed members', () => {
    const loaded = load({
      ...defineModel({
        name: 'shop',
        $defs: { Money: { type: 'string', format: 'decimal', 'x-scale': 2 } },
        resources: {
          items: resource({
            schema: PLAIN,
            computed: { worth: { schema: { $ref: '#/$defs/Money' }, from: ['stock'], value: () => '1.00' } },
          }),
        },
      }),
    });
    const [worth] = loaded.model.resources.get('items')?.computed ?? [];
    assert.deepEqual(worth?.type, { kind: 'decimal', precision: null, scale: 2 });
  });

  const number = { schema: { type: 'integer' }, from: ['name'], value: () => 1 };
  const invalid: readonly (readonly [title: string, code: object, says: RegExp])[] = [
    ['an unknown member', { befor: {} }, /^shop\.ts: resources\.items\.befor: unknown key befor/],
    [
      'an unknown hook',
      { before: { creat: () => {} } },
      /resources\.items\.before\.creat: unknown key creat; write create/,
    ],
    [
      'a hook that is not a function',
      { after: { created: 'x' } },
      /resources\.items\.after\.created: created is not a function/,
    ],
    ['hooks that are not an object', { before: [] }, /resources\.items\.before: before is not an object/],
    [
      'a check of an unknown field',
      { check: { nam: () => null } },
      /resources\.items\.check\.nam: unknown key nam; write name/,
    ],
    ['a policy outside of access', { policy: () => ({}) }, /resources\.items\.policy: unknown key policy/],
    [
      'a computed member named like a field',
      { computed: { name: number } },
      /resources\.items\.computed\.name: there is already a field name/,
    ],
    [
      'a computed member named like a system field',
      { computed: { revision: number } },
      /computed\.revision: revision is not a valid name/,
    ],
    [
      'a computed member without a function',
      { computed: { a: { ...number, value: 1 } } },
      /computed\.a\.value: value is not a function/,
    ],
    [
      'a computed member without from',
      { computed: { a: { ...number, from: [] } } },
      /computed\.a\.from: from is empty/,
    ],
    [
      'a computed member from a write-only field',
      { computed: { a: { ...number, from: ['secret'] } } },
      /computed\.a\.from\[0\]: secret is not a readable field/,
    ],
    [
      'a computed member with an unknown type',
      { computed: { a: { ...number, schema: { type: 'thing' } } } },
      /computed\.a\.schema/,
    ],
    [
      'a function that generates an unknown field',
      { generated: { nam: () => 'x' } },
      /resources\.items\.generated\.nam: nam is not a field/,
    ],
    [
      'a function that generates a required field',
      { generated: { name: () => 'x' } },
      /schema\.properties\.name: name is generated, so clients cannot send it; remove name from required/,
    ],
    [
      'a function that generates a write-only field',
      { generated: { secret: () => 'x' } },
      /properties\.secret\.writeOnly: clients would never get/,
    ],
    ['generated that is no function and no data', { generated: { stock: 5 } }, /resources\.items\.generated\.stock/],
    ['an invalid setting of a document', { sort: 'nope' }, /resources\.items\.sort: /],
  ];
  for (const [title, code, says] of invalid) {
    it(`reports ${title} with its path`, () => {
      const problems = definitionProblems(items(code));
      assert.ok(
        problems.some((problem) => says.test(problem)),
        problems.join('\n') || 'no problems',
      );
    });
  }
});
