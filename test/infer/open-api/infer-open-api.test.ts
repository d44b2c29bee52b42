import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { isJsonObject, type Json, type JsonObject } from '../../../src/conventions/json/json.ts';
import { DataError } from '../../../src/infer/data-error.ts';
import { writeValidModel } from '../../../src/infer/valid-model.ts';
import { inferOpenApi } from '../../../src/infer/open-api/infer-open-api.ts';
import { fieldLine } from '../../model/infer/inferring.ts';
import { load } from '../../model/loading.ts';
import { runs } from '../../extent.ts';

const json = (schema: Json): JsonObject => ({ content: { 'application/json': { schema } } });
const ok = (schema: Json): JsonObject => ({ responses: { 200: json(schema) } });

/** A description with the collection /pets, whose items have this schema, and with further paths and components. */
function description(pet: Json, paths: JsonObject = {}, schemas: JsonObject = {}): JsonObject {
  return {
    openapi: '3.1.0',
    info: { title: 'Pet Store', version: '1.2.3' },
    paths: { '/pets': { get: ok({ type: 'array', items: pet }) }, '/pets/{id}': { get: ok(pet) }, ...paths },
    components: { schemas },
  };
}

function inferredText(document: JsonObject): string {
  return writeValidModel(inferOpenApi(document), 'schema.json', 'model.yaml').text;
}

/** The line of a field `value` with this schema. */
function inferLine(schema: Json, schemas: JsonObject = {}): string {
  const text = inferredText(
    description({ type: 'object', properties: { value: schema, other: { type: 'string' } } }, {}, schemas),
  );
  load(text);
  return /^ *value: (.*)$/m.exec(text)?.[1] ?? /# left out: value: (.*)$/m.exec(text)?.[0] ?? assert.fail(text);
}

describe('a schema of OpenAPI', () => {
  const rows: readonly [title: string, schema: Json, line: string][] = [
    ['is kept', { type: 'string', minLength: 1, maxLength: 5 }, '{ type: string, minLength: 1, maxLength: 5 }'],
    ['nullable as in 3.0', { type: 'string', nullable: true }, '{ type: string }'],
    ['nullable as in 3.1', { type: ['string', 'null'] }, '{ type: string }'],
    ['nullable by anyOf', { anyOf: [{ type: 'integer' }, { type: 'null' }] }, '{ type: integer }'],
    [
      'with an exclusive minimum as in 3.0',
      { type: 'number', minimum: 0, exclusiveMinimum: true },
      '{ type: number, exclusiveMinimum: 0 }',
    ],
    [
      'with an exclusive minimum as in 3.1',
      { type: 'number', exclusiveMinimum: 0 },
      '{ type: number, exclusiveMinimum: 0 }',
    ],
    ['with format int64', { type: 'integer', format: 'int64', maximum: 2 ** 63 }, '{ type: integer }'],
    ['with an unknown format', { type: 'string', format: 'phone' }, '{ type: string } # format phone is not checked'],
    ['of bytes', { type: 'string', format: 'byte' }, '{ type: string, contentEncoding: base64 }'],
    ['of a password', { type: 'string', format: 'password' }, '{ type: string, writeOnly: true }'],
    [
      'with a default and bounds',
      { type: 'integer', minimum: 1, default: 3 },
      '{ type: integer, minimum: 1, default: 3 }',
    ],
    [
      'with a default and a length',
      { type: 'string', maxLength: 5, default: 'a' },
      '{ type: string, maxLength: 5, default: a }',
    ],
    [
      'with a default and a format',
      { type: 'string', format: 'date', default: '2026-01-31' },
      '{ type: string, format: date, default: "2026-01-31" }',
    ],
    ['with steps', { type: 'number', multipleOf: 0.5 }, '{ type: number } # multipleOf 0.5 is not checked'],
    [
      'with an enum of another type',
      { type: 'string', enum: [1, 2], default: 2 },
      '{ type: string, enum: ["1", "2"], default: "2" }',
    ],
    ['with an enum of texts of integers', { type: 'integer', enum: ['1', '2'] }, '{ type: integer, enum: [1, 2] }'],
    ['with an enum of objects', { type: 'string', enum: [{}] }, '{ type: string } # its enum is not checked'],
    ['of a constant', { const: 'a' }, '{ type: string, enum: [a] }'],
    ['of constants', { oneOf: [{ const: 1 }, { const: 2, title: 'Two' }] }, '{ type: integer, enum: [1, 2] }'],
    [
      'with a description beside it',
      { allOf: [{ $ref: '#/components/schemas/Size' }, { description: 'How big' }] },
      '{ type: integer, minimum: 1, description: How big }',
    ],
    ['with an enum and a default', { enum: ['a', 'b'], default: 'a' }, '{ type: string, enum: [a, b], default: a }'],
    [
      'with a pattern that is not supported',
      { type: 'string', pattern: '(a|a)*\\1(' },
      '{ type: string } # its pattern is not supported',
    ],
    ['by $ref', { $ref: '#/components/schemas/Size' }, '{ type: integer, minimum: 1 }'],
    [
      'by allOf with one $ref',
      { allOf: [{ $ref: '#/components/schemas/Size' }], description: 'How big' },
      '{ type: integer, minimum: 1, description: How big }',
    ],
    [
      'of a map',
      { type: 'object', additionalProperties: { type: 'string' } },
      '{ type: object, additionalProperties: { type: string } }',
    ],
    [
      'of a list',
      { type: 'array', items: { type: 'string', nullable: true }, maxItems: 3, minItems: 1 },
      '{ type: array, maxItems: 3, items: { type: [string, "null"] } } # minItems 1 is not checked where the list is absent',
    ],
    ['of several types is left out', { type: ['string', 'integer'] }, '# left out: value: several types'],
    [
      'of oneOf is left out',
      { oneOf: [{ type: 'string' }, { type: 'integer' }] },
      '# left out: value: oneOf or anyOf of several types',
    ],
    ['of anything is left out', {}, '# left out: value: any value'],
    ['of any members is left out', { type: 'object' }, '# left out: value: an object of any members'],
    ['of a file is left out', { type: 'string', format: 'binary' }, '# left out: value: a file'],
    [
      'that contains itself is left out',
      { $ref: '#/components/schemas/Tree' },
      '# left out: value: no member can be expressed',
    ],
    [
      'in another file is left out',
      { $ref: 'other.yaml#/Pet' },
      '# left out: value: other.yaml#/Pet does not exist in this file',
    ],
  ];
  const schemas = {
    Size: { type: 'integer', minimum: 1 },
    Tree: { type: 'object', properties: { left: { $ref: '#/components/schemas/Tree' } } },
  };
  for (const [title, schema, line] of rows) {
    it(title, () => assert.equal(inferLine(schema, schemas), line));
  }
});

describe('a description', () => {
  const ref = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` });
  const pet = {
    type: 'object',
    required: ['id', 'name'],
    properties: { id: { type: 'integer' }, name: { type: 'string' } },
  };

  it('has the name, the version and the collections of the paths', () => {
    const { model } = load(inferredText(description(pet)));
    assert.deepEqual([model.name, [...model.resources.keys()]], ['pet-store', ['pets']]);
    assert.deepEqual(model.version, { major: 1, minor: 2, patch: 3 });
  });

  it('finds items in an envelope, and the fields of the body of POST', () => {
    const list = { type: 'object', properties: { data: { type: 'array', items: pet }, total: { type: 'integer' } } };
    const body = {
      type: 'object',
      required: ['pin'],
      properties: { name: { type: 'string' }, pin: { type: 'string' } },
    };
    const text = inferredText(description(pet, { '/cats': { get: ok(list), post: { requestBody: json(body) } } }));
    load(text);
    assert.match(
      text,
      /cats:[^]*required: \[pin\][^]*name: \{ type: string \}\n *pin: \{ type: string, writeOnly: true \}/,
    );
  });

  it('relates resources by names of fields, and by schemas of resources that are embedded', () => {
    const visit = {
      type: 'object',
      required: ['petId'],
      properties: { petId: { type: 'integer' }, vet: ref('Vet'), assistants: { type: 'array', items: ref('Vet') } },
    };
    const vet = { type: 'object', properties: { name: { type: 'string' } } };
    const paths = {
      '/visits/{id}': { get: ok(visit) },
      '/visits': {},
      '/vets': {},
      '/vets/{id}': { get: ok(ref('Vet')) },
    };
    const text = inferredText(description(pet, paths, { Vet: vet }));
    load(text);
    assert.equal(
      fieldLine(text, 'pet_id'),
      '{ type: string, x-references: { resource: pets, inverse: visits }, x-source: petId }',
    );
    assert.equal(
      fieldLine(text, 'vet_id'),
      '{ type: string, x-references: { resource: vets, inverse: visits }, x-source: vet }',
    );
    assert.equal(fieldLine(text, 'assistants'), '{ type: array, items: { type: string, x-references: vets } }');
  });

  it('nests a resource that has no path of its own', () => {
    const visit = {
      type: 'object',
      properties: { day: { type: 'string', format: 'date' }, pet_id: { type: 'integer' } },
    };
    const paths = { '/pets/{id}/visits': {}, '/pets/{id}/visits/{visit}': { get: ok(visit) } };
    const { model } = load(inferredText(description(pet, paths)));
    assert.deepEqual(model.resources.get('visits')?.parent, { resource: 'pets', field: 'pet_id' });
  });

  it('lists the operations that it leaves out', () => {
    assert.match(inferredText(description(pet, { '/login': { post: {} } })), /^# Left out: POST \/login$/m);
  });

  it('without paths has its component schemas as resources', () => {
    const { paths: _paths, ...rest } = description(pet, {}, { Order: pet, Error: { type: 'string' } });
    assert.deepEqual([...load(inferredText(rest)).model.resources.keys()], ['order']);
  });

  it('whose allOf contains itself twice is read once', () => {
    const twice = (name: string): JsonObject => ({ allOf: [ref(name), ref(name)] });
    const schemas = { Loop: twice('Other'), Other: { ...twice('Loop'), properties: { name: { type: 'string' } } } };
    const owner = { type: 'object', properties: { name: { type: 'string' }, owner: twice('Loop') } };
    const text = inferredText(description(owner, {}, schemas));
    load(text);
    assert.match(text, /^ *owner:\n *type: object\n *properties:\n *name: \{ type: string \}$/m);
  });

  it('leaves out a field whose schemas unfold to too many', () => {
    const levels = Array.from({ length: 12 }, (_, level) => [
      `L${level}`,
      { type: 'object', properties: { a: ref(`L${level + 1}`), b: ref(`L${level + 1}`), c: { type: 'string' } } },
    ]);
    const owner = { type: 'object', properties: { name: { type: 'string' }, tree: ref('L0') } };
    const text = inferredText(description(owner, {}, Object.fromEntries(levels)));
    assert.match(text, /# left out: tree: too large$/m);
  });

  for (const [title, document, message] of [
    ['of Swagger 1.2', { swagger: '1.2' }, /the description is OpenAPI 1\.2; convert it to 3\.0 or 3\.1/],
    ['without collections', { openapi: '3.0.0', paths: { '/login': { post: {} } } }, /no collection with items/],
  ] as const) {
    it(`${title} is an error`, () => {
      assert.throws(
        () => inferOpenApi(document),
        (error) => error instanceof DataError && message.test(error.message),
      );
    });
  }

  it('becomes a valid model, whatever its schemas are', () => {
    const name = fc.constantFrom(
      'name',
      'id',
      'petId',
      'pet',
      'links',
      'createdAt',
      'constructor',
      'firstName',
      'first_name',
      '${X}',
      'é',
    );
    const keywords = fc.record(
      {
        format: fc.constantFrom('date', 'date-time', 'int64', 'decimal', 'byte', 'x'),
        minimum: fc.integer({ min: -3, max: 3 }),
        maximum: fc.integer({ min: -3, max: 3 }),
        exclusiveMinimum: fc.oneof(fc.boolean(), fc.integer({ min: -3, max: 3 })),
        minLength: fc.integer({ min: -1, max: 3 }),
        maxLength: fc.integer({ min: -1, max: 3 }),
        minItems: fc.integer({ min: 0, max: 2 }),
        pattern: fc.constantFrom('^a$', '(', '(a+)+$'),
        enum: fc.array(fc.oneof(fc.string(), fc.integer(), fc.constant(null)), { maxLength: 3 }),
        default: fc.oneof(
          fc.string(),
          fc.double({ noNaN: true, noDefaultInfinity: true }),
          fc.boolean(),
          fc.constant(null),
        ),
        nullable: fc.boolean(),
        readOnly: fc.boolean(),
        writeOnly: fc.boolean(),
        description: fc.constantFrom('text', '${NAME}', 'a: b # c', "it's\nmore"),
        uniqueItems: fc.boolean(),
      },
      { requiredKeys: [] },
    );
    const type = fc.constantFrom('string', 'integer', 'number', 'boolean', 'array', 'object', 'null', 'file');
    const { schema } = fc.letrec<{ schema: JsonObject }>((tie) => ({
      schema: fc.oneof(
        { maxDepth: 3, depthSize: 'small' },
        fc
          .tuple(fc.oneof(type, fc.tuple(type, type)), keywords)
          .map(([each, more]): JsonObject => ({ type: each, ...more })),
        fc.constantFrom(ref('A'), ref('B'), ref('Missing')),
        fc
          .tuple(fc.dictionary(name, tie('schema'), { noNullPrototype: true }), fc.array(name), keywords)
          .map(([properties, required, more]): JsonObject => ({ ...more, type: 'object', properties, required })),
        tie('schema').map((items): JsonObject => ({ type: 'array', items })),
        tie('schema').map((each): JsonObject => ({ type: 'object', additionalProperties: each })),
        fc
          .tuple(fc.constantFrom('allOf', 'oneOf', 'anyOf'), fc.array(tie('schema'), { maxLength: 2 }))
          .map(([keyword, each]): JsonObject => ({ [keyword]: each })),
      ),
    }));
    const objects = fc
      .tuple(fc.dictionary(name, schema, { noNullPrototype: true }), fc.array(name))
      .map(([properties, required]): JsonObject => ({ type: 'object', properties, required }));
    fc.assert(
      fc.property(objects, objects, objects, (one, other, body) => {
        const paths = {
          '/as': { post: { requestBody: json(body) } },
          '/as/{id}': { get: ok(ref('A')) },
          '/as/{id}/bs': {},
          '/as/{id}/bs/{b}': { get: ok(ref('B')) },
        };
        const text = inferredText(description(pet, paths, { A: one, B: other }));
        assert.equal(isJsonObject(load(text).model.resources.size === 3 ? {} : null), true, text);
      }),
      { numRuns: runs(8, 80) },
    );
  });
});
