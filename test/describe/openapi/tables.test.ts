import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isJsonObject, type Json } from '../../../src/conventions/json/json.ts';
import { describeCollection } from '../../../src/describe/agents/describe-collection.ts';
import { clientTypes, typedContract } from '../../../src/describe/client-types/client-types.ts';
import { describedContracts } from '../../../src/describe/described-contract.ts';
import { fieldList } from '../../../src/describe/docs-page/field-list.ts';
import { openApiDocument } from '../../../src/describe/openapi/open-api-document.ts';
import { sampleBody } from '../../../src/describe/page/sample-body.ts';
import { resourceErrorCodes } from '../../../src/describe/surface/resource-error-codes.ts';
import { placeResources, type PlacedResource } from '../../../src/describe/surface/placed-resource.ts';
import type { OperationKind } from '../../../src/describe/surface/operation.ts';
import { readOnlyModel } from '../../../src/model/compile/read-only-model.ts';
import { loadModel } from '../../../src/model/compile/load-model.ts';
import { contradictions, listOperations, member } from './consistency.ts';
import { describeNewest, describeVersions, TABLES } from './described.ts';

const { model } = loadModel({ text: TABLES });
const document = describeNewest(TABLES);
const schemas = member(member(document, 'components'), 'schemas');

/** The types of the members of a component. */
function listTypes(name: string): Readonly<Record<string, Json | undefined>> {
  const properties = member(member(schemas, name), 'properties');
  return Object.fromEntries(
    Object.entries(properties).map(([key, value]) => [key, isJsonObject(value) ? value['type'] : null]),
  );
}

function findPlaced(name: string): PlacedResource {
  const found = placeResources(model).find(({ resource }) => resource.name === name);
  return found ?? assert.fail(`there is no resource ${name}`);
}

/** The codes of an operation that have the prefix of its resource. */
function listOwnCodes(name: string, kind: OperationKind): readonly string[] {
  const { resource, above } = findPlaced(name);
  return resourceErrorCodes({ kind, resource, above }, { model, isNewest: true })
    .map(([code]) => code.replace(`${resource.code}_`, ''))
    .toSorted();
}

describe('the OpenAPI description of tables that exist', () => {
  it('[OPS-1a] contradicts nothing that it says itself', () => {
    const documents = (['3.1', '3.2'] as const).flatMap((edition) => describeVersions(TABLES, edition));
    assert.deepEqual(documents.flatMap(contradictions), []);
  });

  it('[OPS-1a] has null for each member of a response but the id and the revision', () => {
    const { id, revision, links: _links, genre: _genre, ...rest } = listTypes('Film');
    assert.deepEqual([id, revision], ['string', 'integer']);
    for (const [name, type] of Object.entries(rest)) assert.ok(Array.isArray(type) && type.includes('null'), name);
    assert.deepEqual(Object.keys(rest), ['title', 'length', 'rating', 'languages', 'genre_id', 'updated_at']);
    const rating = member(member(member(schemas, 'Film'), 'properties'), 'rating');
    assert.deepEqual(rating['enum'], ['G', 'R', null]);
    const languages = member(member(member(schemas, 'Film'), 'properties'), 'languages');
    assert.deepEqual(member(languages, 'items')['type'], ['string', 'null']);
    const sent = member(member(member(schemas, 'FilmCreate'), 'properties'), 'languages');
    assert.deepEqual(member(sent, 'items')['type'], 'string');
    assert.deepEqual(listTypes('Genre')['name'], 'string');
  });

  it('[OPS-1a] has the null that its schema allows in requests, and requires no id', () => {
    for (const name of ['FilmCreate', 'FilmReplace', 'FilmPatch']) {
      const { title, length, rating } = listTypes(name);
      assert.deepEqual([title, length, rating], ['string', 'integer', ['string', 'null']], name);
    }
    assert.deepEqual(member(schemas, 'FilmCreate')['required'], ['title', 'length']);
    assert.equal(listTypes('FilmCreate')['id'], 'string');
    assert.deepEqual(member(schemas, 'OrderLineCreate')['required'], ['order_id', 'number']);
    assert.deepEqual(member(schemas, 'OrderLineCreate')['examples'], [{ order_id: 1, number: 1 }]);
    assert.deepEqual(sampleBody(findPlaced('order_lines')), { order_id: 1, number: 1 });
  });

  it('[OPS-1a] has writes, of which PUT creates rows, unless the resource is read-only', () => {
    const operations = new Map(listOperations(document).map(({ operation }) => [operation['operationId'], operation]));
    for (const id of ['createFilm', 'replaceFilm', 'patchFilm', 'deleteFilm', 'createOrderLine'])
      assert.ok(operations.has(id), id);
    assert.ok('201' in member(operations.get('replaceFilm') ?? {}, 'responses'));
    assert.deepEqual([operations.has('listCheapFilms'), operations.has('createCheapFilm')], [true, false]);
  });

  it('[OPS-1a] has no write of a model that is made read-only', () => {
    const { model: plain } = loadModel({
      text: 'name: s\nresources: { films: { table: f, schema: { type: object } } }',
    });
    const [contract] = describedContracts(readOnlyModel(plain));
    assert.ok(contract !== undefined);
    const ids = listOperations(openApiDocument(contract, '3.1')).map(({ operation }) => operation['operationId']);
    assert.ok(ids.includes('listFilms'));
    assert.deepEqual(
      ids.filter((id) => typeof id === 'string' && /^(?:create|replace|patch|delete)Film/.test(id)),
      [],
    );
  });

  it('[ERR-2] has the codes of rules that only the database knows', () => {
    const common = ['CONFLICT', 'INVALID', 'PRECONDITION_FAILED'];
    assert.deepEqual(listOwnCodes('order_lines', 'create'), ['ALREADY_EXISTS', ...common]);
    const changed = ['ALREADY_EXISTS', 'CONFLICT', 'INVALID', 'NOT_FOUND', 'PRECONDITION_FAILED'];
    assert.deepEqual(listOwnCodes('order_lines', 'patch'), changed);
    const deleted = ['CONFLICT', 'HAS_DEPENDENTS', 'NOT_FOUND', 'PRECONDITION_FAILED'];
    assert.deepEqual(listOwnCodes('order_lines', 'delete'), deleted);
    assert.ok(!listOwnCodes('genres', 'create').includes('CONFLICT'));
    assert.ok(!listOwnCodes('reviews', 'delete').includes('HAS_DEPENDENTS'));
  });
});

describe('the other descriptions of tables that exist', () => {
  it('have null in the types of clients that read, not of those that write', () => {
    const contract = typedContract(model, null);
    assert.ok(contract !== null);
    const text = clientTypes(contract);
    const [, item = '', body = ''] =
      /interface Film extends Omit<ItemMembers, 'created_at' \| 'updated_at'> \{\n([^}]*)\}[^]*?interface NewFilm \{\n([^}]*)\}/.exec(
        text,
      ) ?? [];
    for (const line of [
      'title: string | null',
      'length: number | null',
      'updated_at: string | null',
      'languages: readonly (string | null)[] | null',
    ])
      assert.ok(item.includes(`readonly ${line};`), item);
    assert.ok(!item.includes('created_at'));
    for (const line of ['id?: string', 'title: string', 'length: number'])
      assert.ok(body.includes(`readonly ${line};`), body);
    assert.match(text, /interface Genre extends ItemMembers \{\n {2}readonly name: string;/);
  });

  it('[OPS-8a] say to agents that the id may be omitted, and which errors writes have', () => {
    const { id, errors, operations } = describeCollection(model, { name: 'films' });
    assert.deepEqual([id, operations], ['data.id, or made by the server', undefined]);
    for (const code of ['FILM_CONFLICT', 'FILM_INVALID', 'FILM_HAS_DEPENDENTS'])
      assert.match(JSON.stringify(errors), new RegExp(`\\b${code}\\b`));
  });

  it('say in /docs that revisions differ, and those of own resources grow', () => {
    const write = (name: string): string => fieldList(findPlaced(name).resource, model).text;
    assert.match(write('films'), /differs after each change/);
    assert.match(write('genres'), /grows with each change/);
  });

  it('[AUTH-13c] [ERR-2] has the code of a role of the database, in models whose callers have roles', () => {
    const issuer =
      "{ name: test, issuer: 'https://id.example.com', audience: test, hs256_secret: '0123456789abcdef0123456789abcdef' }";
    const roles = `name: t
auth: { issuers: [${issuer}], database_role: { roles: [web_user] } }
resources: { films: { table: film, schema: { type: object } } }
`;
    const hasCode = (text: string): boolean => JSON.stringify(describeNewest(text)).includes('"AUTH_ROLE_FORBIDDEN"');
    assert.ok(hasCode(roles));
    assert.ok(!hasCode(roles.replace(', database_role: { roles: [web_user] }', '')));
  });
});
