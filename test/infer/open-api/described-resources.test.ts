import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Json, JsonObject } from '../../../src/conventions/json/json.ts';
import { bundleDescription } from '../../../src/infer/open-api/bundled-description.ts';
import { describedBy, inferOpenApi } from '../../../src/infer/open-api/infer-open-api.ts';
import { writeValidModel, type ValidModel } from '../../../src/infer/valid-model.ts';
import { readDocument } from '../../../src/model/document/read-document.ts';

const text = { type: 'string' };
const object = (properties: JsonObject): JsonObject => ({ type: 'object', properties });
const answer = (schema: Json, type = 'application/json'): JsonObject => ({
  responses: { 200: { content: { [type]: { schema } } } },
});
const listOf = (items: Json): JsonObject => ({ type: 'array', items });
const ref = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` });

function infer(paths: JsonObject, schemas: JsonObject = {}): ValidModel {
  const document = { openapi: '3.1.0', info: { title: 'Shop' }, paths, components: { schemas } };
  return writeValidModel(inferOpenApi(document), 'schema.json', 'model.yaml');
}

/** A collection, and its items. */
function collection(path: string, schema: Json): JsonObject {
  return { [path]: { get: answer(listOf(schema)), post: {} }, [`${path}/{id}`]: { get: answer(schema) } };
}

const names = ({ model }: ValidModel): readonly string[] => [...model.resources.keys()];
const fields = ({ model }: ValidModel, resource: string): readonly string[] =>
  (model.resources.get(resource)?.fields ?? []).map(({ name }) => name);
const parentName = ({ model }: ValidModel, resource: string): string | undefined =>
  model.resources.get(resource)?.parent?.resource;

describe('the collections of a description', () => {
  const named = object({ id: text, name: text });

  it('may have paths that end in a slash', () => {
    const found = infer({
      '/pets/': { get: answer(listOf(named)) },
      '/pets/{id}/': { get: answer(named) },
      '/pets/{pet_id}/visits/': { get: answer(listOf(object({ day: text }))), post: {} },
    });
    assert.deepEqual(names(found), ['pets', 'visits']);
    assert.equal(parentName(found, 'visits'), 'pets');
  });

  it('may be answered as any media type, which counts last', () => {
    assert.deepEqual(fields(infer({ '/pets': { get: answer(listOf(named), '*/*'), post: {} } }), 'pets'), ['name']);
    const both = { '*/*': { schema: text }, 'application/json': { schema: listOf(named) } };
    const found = infer({ '/pets': { get: { responses: { 200: { content: both } } }, post: {} } });
    assert.deepEqual(fields(found, 'pets'), ['name']);
  });

  it('may have sub-collections of one name below two parents', () => {
    const found = infer({
      ...collection('/issues', named),
      ...collection('/commits', named),
      ...collection('/issues/{issue_id}/comments', object({ id: text, body: text })),
      ...collection('/commits/{commit_id}/comments', object({ id: text, line: { type: 'integer' } })),
    });
    assert.deepEqual(names(found), ['issues', 'commits', 'issue_comments', 'commit_comments']);
    assert.deepEqual(
      names(found).map((name) => parentName(found, name)),
      [undefined, undefined, 'issues', 'commits'],
    );
  });

  it('are one where a deeper path shows the same items, whose operations are named', () => {
    const found = infer(
      {
        ...collection('/pets', ref('Pet')),
        ...collection('/owners', named),
        ...collection('/owners/{id}/pets', ref('Pet')),
      },
      { Pet: named },
    );
    assert.deepEqual(names(found), ['pets', 'owners']);
    assert.match(found.text, /# Left out: GET \/owners\/\{id\}\/pets$/m);
  });

  it('lose a prefix below their parent, which a comment says', () => {
    const found = infer({
      ...collection('/pets', named),
      ...collection('/pets/{id}/medical/visits', object({ day: text })),
    });
    assert.equal(parentName(found, 'visits'), 'pets');
    assert.match(found.text, /# its path was \/pets\/\{id\}\/medical\/visits: left out: medical/);
  });

  it('lose the links of responses, which a comment says', () => {
    const linked = (schema: Json, links: JsonObject): JsonObject => ({
      get: { responses: { 200: { content: { 'application/json': { schema } }, links } } },
    });
    const found = infer({
      '/pets': linked(listOf(named), { owner: {} }),
      '/pets/{id}': linked(named, { search: {}, owner: {} }),
    });
    assert.match(found.text, /# left out: links of responses: owner, search$/m);
  });

  it('lose a parent that is no collection, which a comment says', () => {
    const found = infer(collection('/zoos/{zoo}/pets', named));
    assert.match(found.text, /# its path was \/zoos\/\{zoo\}\/pets: \/zoos is no collection of this model/);
  });

  it('may be only listed where others refer to them', () => {
    const found = infer({
      '/stations': { get: answer(listOf(object({ id: text, city: text }))) },
      '/news': { get: answer(listOf(object({ headline: text }))) },
      ...collection('/trips', object({ id: text, station_id: text })),
    });
    assert.deepEqual(names(found).toSorted(), ['stations', 'trips']);
    assert.match(found.text, /station_id: \{ type: string, x-references: /);
  });

  for (const [parameter, member] of [
    ['eventId', 'event_id'],
    ['username', 'username'],
    ['id', 'pet_id'],
  ] as const) {
    it(`have the member ${member} as the id where the path has {${parameter}}`, () => {
      const schema = object({ [member]: text, size: text });
      const found = infer({
        '/pets': { get: answer(listOf(schema)) },
        [`/pets/{${parameter}}`]: { get: answer(schema) },
      });
      assert.deepEqual(fields(found, 'pets'), ['size']);
      assert.match(found.text, new RegExp(`# its id was ${member}$`, 'm'));
    });
  }

  it('rename members that have the name of a sub-collection or of the parent', () => {
    const found = infer({
      ...collection('/gists', object({ id: text, comments: { type: 'integer' } })),
      ...collection('/gists/{gist_id}/comments', object({ id: text, gist: { type: 'string' } })),
    });
    assert.deepEqual(fields(found, 'gists'), ['source_comments']);
    assert.deepEqual(fields(found, 'comments'), ['gist_id', 'source_gist']);
  });

  it('may be described in OpenAPI 2.0', () => {
    const document = {
      swagger: '2.0',
      info: { title: 'Pets', version: '1.0.0' },
      paths: {
        '/pets': {
          get: { responses: { 200: { schema: listOf({ $ref: '#/definitions/Pet' }) } } },
          post: { parameters: [{ in: 'body', name: 'pet', schema: { $ref: '#/definitions/NewPet' } }], responses: {} },
        },
        '/pets/{id}': { get: { responses: { 200: { schema: { $ref: '#/definitions/Pet' } } } } },
      },
      definitions: {
        Pet: object({ id: text, name: { type: 'string', 'x-nullable': true } }),
        NewPet: { ...object({ name: text, pin: text }), required: ['pin'] },
      },
    };
    const found = writeValidModel(inferOpenApi(document), 'schema.json', 'model.yaml');
    assert.match(found.text, /required: \[pin\]/);
    assert.deepEqual(fields(found, 'pets'), ['name', 'pin']);
  });

  it('may be in other files of its folder', async () => {
    const files: Readonly<Record<string, Json>> = {
      'paths/pets.yaml': { get: answer(listOf({ $ref: '../schemas.yaml#/Pet' })), post: {} },
      'schemas.yaml': {
        Pet: object({ id: text, size: { $ref: '#/Size' }, far: { $ref: 'https://example.com/x' } }),
        Size: text,
      },
    };
    const document = {
      openapi: '3.1.0',
      info: { title: 'Bad' },
      paths: { '/pets': { $ref: './paths/pets.yaml' }, '/others': { $ref: '../../outside.yaml' } },
    };
    const read: string[] = [];
    const bundled = await bundleDescription(document, async (file) => {
      read.push(file);
      return files[file] ?? null;
    });
    const found = writeValidModel(inferOpenApi(bundled), 'schema.json', 'model.yaml');
    assert.deepEqual(read, ['paths/pets.yaml', 'schemas.yaml']);
    assert.deepEqual(fields(found, 'pets'), ['size']);
    assert.match(found.text, /left out: far: https:\/\/example\.com\/x does not exist/);
  });

  it('may be a JSON Schema alone', () => {
    const schema = { $schema: 'https://json-schema.org/draft/2020-12/schema', title: 'Pet', ...object({ name: text }) };
    const found = writeValidModel(
      inferOpenApi(describedBy(schema, 'file') ?? assert.fail()),
      'schema.json',
      'model.yaml',
    );
    assert.deepEqual([names(found), fields(found, 'pets')], [['pets'], ['name']]);
    assert.equal(describedBy({ name: 'shop', resources: {} }, 'file'), null);
  });

  it('may be in YAML with anchors and merged maps', () => {
    const source = `
openapi: 3.1.0
info: { title: Pets }
paths:
  /pets:
    get: { responses: { '200': { content: { application/json: { schema: { type: array, items: &pet { type: object, properties: { id: { type: string }, name: { type: string } } } } } } } } }
  /pets/{id}:
    get: { responses: { '200': { content: { application/json: { schema: *pet } } } } }
`;
    const { value } = readDocument({ file: 'o.yaml', text: source, env: null });
    const found = writeValidModel(inferOpenApi(Object(value)), 'schema.json', 'model.yaml');
    assert.deepEqual(fields(found, 'pets'), ['name']);
  });
});

describe('a part that the compiler refuses', () => {
  it('is left out with its reason: a constraint, a reference, a setting, a resource', () => {
    const draft = inferOpenApi({
      openapi: '3.1.0',
      info: { title: 'Shop' },
      paths: {
        ...collection('/pets', object({ id: text, born: { type: 'string', format: 'date', default: 'never' } })),
      },
    });
    const [pets = assert.fail()] = draft.resources;
    const broken = {
      ...draft,
      resources: [
        { ...pets, settings: { ...pets.settings, sort: 'nothing' } },
        { ...pets, name: 'Bad' },
      ],
    };
    const { text: written, model } = writeValidModel(broken, 'schema.json', 'model.yaml');
    assert.deepEqual([...model.resources.keys()], ['pets']);
    assert.match(written, /born: \{ type: string, format: date \} # left out: default "never": /);
    assert.match(written, /# left out: sort "nothing": /);
    assert.match(written, /# Left out: Bad: /);
  });
});
