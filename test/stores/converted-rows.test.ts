import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { isJsonObject } from '../../src/conventions/json/json.ts';
import { type DefinedModel, defineModel, resource } from '../../src/index.ts';
import { selectKind } from '../../src/stores/databases/databases.ts';
import { loadDefinition } from '../../src/model/compile/load-model.ts';
import { LossySchemaChange } from '../../src/stores/sql/schema/schema-errors.ts';
import { olderModel } from '../../src/versions/return-conversion.ts';
import { runs } from '../extent.ts';
import { type ApiUnderTest, apiUnderTest } from '../pipeline/support/api-under-test.ts';
import { chains, itemsIn, own, versionAt } from '../pipeline/support/versioned-twins.ts';
import { temporaryDirectory } from '../temporary-directory.ts';
import { newDatabases } from './new-databases.ts';
import {
  Chooser,
  defineVersions,
  type Doc,
  downThrough,
  normal,
  randomChain,
  randomDoc,
  upThrough,
  type Version,
  writeVersion,
} from '../versions/random-versions.ts';

const { sqlite, postgres } = await newDatabases('converted');

/** A new database of a store. */
const STORES = [
  ['SQLite', sqlite, runs(20, 100)],
  ['PostgreSQL', postgres, runs(4, 12)],
] as const;

/** The rows of a version: its fields, by id. */
async function readRows(api: ApiUnderTest, version: Version): Promise<ReadonlyMap<string, Doc>> {
  const { status, body, text } = await api.send({ send: `GET ${itemsIn(version)}?limit=100` });
  assert.equal(status, 200, text);
  return new Map(body.data.map((row: Doc & { readonly id: string }) => [row.id, normal(own(row))]));
}

/** The events of a version, as they are sent. */
async function readEvents(api: ApiUnderTest, { name }: Version): Promise<string> {
  const { status, body, text } = await api.send({ send: `GET /api/v${name.split('.', 1)[0]}/events?limit=100` });
  assert.equal(status, 200, text);
  return JSON.stringify(body.data);
}

/** The rows that events have, by id. */
function rowsOfEvents(events: string): ReadonlyMap<string, Doc> {
  const all: readonly { readonly payload: { readonly data: Doc & { readonly id: string } } }[] = JSON.parse(events);
  return new Map(
    all.map(({ payload: { data } }) => {
      const { id, ...fields } = data;
      return [id, sorted(normal(fields))];
    }),
  );
}

/** Rows of a version, and their events. */
interface Filled {
  readonly before: ReadonlyMap<string, Doc>;
  readonly events: string;
}

/** Creates rows with a model, and closes it. @returns the rows as it shows them */
async function fill(database: string, version: Version, docs: readonly Doc[]): Promise<Filled> {
  await using api = await apiUnderTest(writeVersion(version), { database });
  for (const [index, body] of docs.entries()) {
    const { status, text } = await api.send({ send: `PUT ${itemsIn(version)}/r${index}`, body });
    assert.equal(status, 201, text);
  }
  return { before: await readRows(api, version), events: await readEvents(api, version) };
}

/** Migrates a database of the newest version back to an older one. */
async function goBack(database: string, versions: readonly Version[], level: number): Promise<void> {
  const { model } = loadDefinition({ file: 'model.ts', defined: defineVersions(versions), env: {} });
  const version = model.versions[level - 1] ?? assert.fail();
  await (await selectKind(database).open({ database }, { model: olderModel(model, version) })).close();
}

for (const [store, databaseOf, count] of STORES) {
  describe(`rows of an older contract, on ${store}`, () => {
    it('[VER-5c] mean afterwards in both contracts what they meant before, or are not converted', async (context) => {
      const folder = temporaryDirectory(context);
      const seen = { converted: 0, refused: 0 };
      await fc.assert(
        fc.asyncProperty(chains, async ([kinds, numbers]) => {
          const choose = new Chooser(numbers);
          const versions = randomChain(kinds, choose);
          const level = choose.below(versions.length);
          const version = versionAt({ versions }, level);
          const database = databaseOf(folder);
          const docs = Array.from({ length: 4 }, () => randomDoc(version.shape, choose));
          const { before, events } = await fill(database, version, docs);
          const chain = versions.slice(0, level + 1);
          const newest = new Map([...before].map(([id, doc]) => [id, upThrough(chain, doc, null)]));
          const isLossless = [...newest].every(([id, doc]) => {
            const shown = downThrough(chain, doc).at(-1) ?? {};
            return isDeepStrictEqual(sorted(normal(shown)), sorted(before.get(id) ?? {}));
          });
          const opening = apiUnderTest(defineVersions(versions), { database });
          if (!isLossless) {
            seen.refused += 1;
            await assert.rejects(opening, LossySchemaChange);
            return;
          }
          seen.converted += 1;
          const api = await opening;
          assert.deepEqual(await readRows(api, version), before);
          const wanted = new Map([...newest].map(([id, doc]) => [id, sorted(normal(doc))]));
          const found = await readRows(api, versionAt({ versions }, 0));
          assert.deepEqual(new Map([...found].map(([id, doc]) => [id, sorted(doc)])), wanted);
          // The log has the bytes of the older contract, and the values of the newest.
          assert.equal(await readEvents(api, version), events);
          assert.deepEqual(rowsOfEvents(await readEvents(api, versionAt({ versions }, 0))), wanted);
          await api.close();
          if (level === 0) return;
          await goBack(database, versions, level);
          await using again = await apiUnderTest(writeVersion(version), { database });
          const changed = again.observations.filter(({ kind }) => kind === 'schema-changed');
          assert.deepEqual([changed, await readRows(again, version)], [[], before]);
          assert.equal(await readEvents(again, version), events);
        }),
        { numRuns: count },
      );
      assert.ok(seen.converted > 0);
    });
  });
}

/** Opens a model, so that it migrates the database, and sends requests. @returns the bodies */
async function ask(
  model: string | DefinedModel,
  database: string,
  ...requests: readonly string[]
): Promise<readonly Doc[]> {
  await using api = await apiUnderTest(model, { database });
  const bodies: Doc[] = [];
  for (const send of requests) {
    const [target = '', body] = send.split(' <- ');
    const got = await api.send({ send: target, ...(body === undefined ? {} : { body: JSON.parse(body) }) });
    assert.ok(got.status < 300, got.text);
    bodies.push(got.body);
  }
  return bodies;
}

/** The fields of rows, by id. */
function listRows({ data }: Doc): readonly Doc[] {
  return Array.isArray(data) ? data.filter(isJsonObject).map((row) => ({ id: row['id'] ?? null, ...own(row) })) : [];
}

const OLD = `{ name: store, version: 1.4.0, resources: { products: { id: client, events: full, search: [title, city], indexes: [status, title],
  schema: { type: object, required: [title], properties: {
    title: { type: string, x-unique: true }, status: { type: string, enum: [draft, live, sold], default: draft },
    city: { type: string }, place: { type: object, properties: { shelf: { type: integer } } } } } } } }`;

/** @param options of the resource @param changes of 1.4.0 in addition */
function writeNewest({ changes = '', versions = '', status = '[DRAFT, ACTIVE, SOLD]' } = {}): string {
  return `{ name: store, version: 2.0.0, default_version: 2, resources: { products: { id: client, events: full, search: [name, place.city], indexes: [status, name, place.city],
  schema: { type: object, required: [name], properties: {
    name: { type: string, x-unique: true }, currency: { type: string, default: EUR }, status: { type: string, enum: ${status}, default: DRAFT },
    place: { type: object, properties: { city: { type: string }, shelf: { type: integer } } } } } } },
  versions: { 1.4.0: { changes: [
    { resource: products, rename: { title: name } },
    { resource: products, without: [currency], fill: { currency: USD } },
    { resource: products, values: { status: { draft: DRAFT, live: ACTIVE, sold: SOLD } } },
    { resource: products, move: { city: place.city } }, ${changes}] }, ${versions} } }`;
}

const LAMP = '{"title":"Lamp","status":"live","city":"Oslo","place":{"shelf":1}}';

for (const [store, databaseOf] of STORES) {
  describe(`a database of the model before, on ${store}`, () => {
    it('[VER-5c] [OPS-4d] is migrated by the changes of its version, with indexes, searches and events', async (context) => {
      const database = databaseOf(temporaryDirectory(context));
      const [, , before] = await ask(
        OLD,
        database,
        `PUT /api/v1/products/a <- ${LAMP}`,
        'PUT /api/v1/products/b <- {"title":"Desk"}',
        'GET /api/v1/products',
      );
      const paths = ['products', 'products?status=ACTIVE', 'products?q=oslo', 'products?place.city=Oslo', 'events'];
      const bodies = await ask(
        writeNewest(),
        database,
        'GET /api/v1/products',
        ...paths.map((each) => `GET /api/v2/${each}`),
      );
      const [older = {}, all = {}, ...found] = bodies;
      assert.deepEqual(listRows(older), listRows(before ?? {}));
      const lamp = { id: 'a', name: 'Lamp', currency: 'USD', status: 'ACTIVE', place: { city: 'Oslo', shelf: 1 } };
      const desk = { id: 'b', name: 'Desk', currency: 'USD', status: 'DRAFT', place: null };
      assert.deepEqual(listRows(all), [lamp, desk]);
      assert.deepEqual(found.slice(0, 3).map(listRows), [[lamp], [lamp], [lamp]]);
      assert.equal(found[3]?.['page'] !== undefined && JSON.stringify(found[3]).includes('"name":"Lamp"'), true);
      // Once is enough: the second start finds nothing to convert.
      const [again] = await ask(writeNewest(), database, 'GET /api/v2/products');
      assert.deepEqual(again, all);
    });

    it('[VER-5c] converts through all versions that it skipped', async (context) => {
      const database = databaseOf(temporaryDirectory(context));
      const older =
        '{ name: store, version: 1.2.0, resources: { articles: { id: client, schema: { type: object, required: [label], properties: { label: { type: string, x-unique: true }, status: { type: string, enum: [draft, live, sold], default: draft }, town: { type: string }, place: { type: object, properties: { shelf: { type: integer } } } } } } } }';
      await ask(
        older,
        database,
        'PUT /api/v1/articles/a <- {"label":"Lamp","status":"sold","town":"Oslo","place":{"shelf":2}}',
      );
      const versions =
        '1.2.0: { changes: [{ resource: products, collection: articles, singular: article, rename: { label: title, town: city } }] }';
      const [rows = {}, before = {}] = await ask(
        writeNewest({ versions }),
        database,
        'GET /api/v2/products',
        'GET /api/articles?api_version=1.2',
      );
      assert.deepEqual(listRows(rows), [
        { id: 'a', name: 'Lamp', currency: 'USD', status: 'SOLD', place: { city: 'Oslo', shelf: 2 } },
      ]);
      assert.deepEqual(listRows(before), [
        { id: 'a', label: 'Lamp', status: 'sold', place: { shelf: 2 }, town: 'Oslo' },
      ]);
    });

    it('[OPS-4d] is refused with the rows that lose a value, and keeps every one', async (context) => {
      const database = databaseOf(temporaryDirectory(context));
      const fax = OLD.replace('city: {', 'fax: { type: string }, city: {');
      await ask(fax, database, `PUT /api/v1/products/a <- ${LAMP.replace('{', '{"fax":"1",')}`);
      const changes = '{ resource: products, with: { fax: { schema: { type: string }, out: none } } }';
      await assert.rejects(ask(writeNewest({ changes }), database), {
        name: 'LossySchemaChange',
        message: /^- products\.fax: 1 row \(a\) has a value that 1\.4\.0 would not show any more; .*$/m,
      });
      const [row] = await ask(fax, database, 'GET /api/v1/products/a');
      assert.equal(row?.['fax'], '1');
    });

    it('[OPS-4d] is refused with the rows that a rule of the newest contract forbids', async (context) => {
      const database = databaseOf(temporaryDirectory(context));
      await ask(OLD, database, `PUT /api/v1/products/a <- ${LAMP.replace('live', 'sold')}`);
      const changed = writeNewest({ status: '[DRAFT, ACTIVE]' }).replace(
        'draft: DRAFT, live: ACTIVE, sold: SOLD',
        'draft: DRAFT, live: ACTIVE',
      );
      await assert.rejects(ask(changed, database), {
        name: 'LossySchemaChange',
        message:
          /^- products\.status must be one of DRAFT, ACTIVE: 1 row breaks it \(a\); map the values in the changes of 1\.4\.0, or change them first$/m,
      });
    });

    it('[OPS-4d] is refused with the rows for which a function fails', async (context) => {
      const database = databaseOf(temporaryDirectory(context));
      const text = { type: 'string' } as const;
      const named = JSON.stringify({
        name: 'store',
        version: '1.0.0',
        resources: { people: { id: 'client', schema: { type: 'object', properties: { full: text } } } },
      });
      await ask(named, database, 'PUT /api/v1/people/a <- {"full":"Ann Lee"}', 'PUT /api/v1/people/b <- {"full":"Bo"}');
      const up = (full: string): Doc => {
        const [first = '', last] = full.split(' ');
        if (last === undefined) throw new Error('no last name');
        return { first, last };
      };
      const down = ({ first, last }: Readonly<Record<string, string>>): string => `${first} ${last}`;
      const people = resource({ id: 'client', schema: { type: 'object', properties: { first: text, last: text } } });
      const split = { full: { schema: text, into: ['first', 'last'], up, down } };
      const model = defineModel({
        name: 'store',
        version: '2.0.0',
        default_version: 2,
        resources: { people },
        versions: { '1.0.0': { changes: [{ resource: 'people', split }] } },
      });
      await assert.rejects(ask(model, database), {
        name: 'LossySchemaChange',
        message:
          /^- people\.full: 1 row \(b\) cannot be converted, and would get defaults: no last name; change the rows, or the functions of 1\.0\.0$/m,
      });
      await ask(named, database, 'PATCH /api/v1/people/b <- {"full":"Bo Ek"}');
      const [rows = {}] = await ask(model, database, 'GET /api/v2/people');
      assert.deepEqual(listRows(rows), [
        { id: 'a', first: 'Ann', last: 'Lee' },
        { id: 'b', first: 'Bo', last: 'Ek' },
      ]);
    });

    it('[OPS-4d] of a version that the model does not list is refused with the advice to list it', async (context) => {
      const database = databaseOf(temporaryDirectory(context));
      await ask(OLD.replace('1.4.0', '0.9.0'), database, `PUT /api/v0/products/a <- ${LAMP}`);
      await assert.rejects(ask(writeNewest(), database), {
        message:
          /The database holds rows of version 0\.9\.0 of the model\. List it in versions, with its changes: then its rows are converted to 2\.0\.0\. Nothing was changed\.$/,
      });
    });
  });
}

/** Without what is unset, by name. */
function sorted(doc: Doc): Doc {
  return Object.fromEntries(
    Object.entries(doc)
      .filter(([, value]) => value !== null)
      .toSorted(([one], [other]) => (one < other ? -1 : 1)),
  );
}
