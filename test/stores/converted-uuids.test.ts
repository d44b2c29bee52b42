import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject } from '../../src/conventions/json/json.ts';
import { LossySchemaChange } from '../../src/stores/sql/schema/schema-errors.ts';
import type { Store } from '../../src/stores/store.ts';
import { commit, create, readRow } from '../../store-suite/sample-writes.ts';
import { type MigratedDatabase, migratedDatabases } from './migrated-databases.ts';

/** @param format that of the values of the model */
function shopModel(format: string, rules = ''): string {
  const value = `{ type: string${format} }`;
  return `
name: shop
resources:
  items:
    id: client
    ${rules}
    schema:
      type: object
      properties:
        device: ${value}
        code: ${value}
        name: { type: string }
        list: { type: array, items: ${value} }
        places: { type: object, additionalProperties: ${value} }
        deep: { type: object, properties: { key: ${value}, name: { type: string }, size: { type: number } } }
        parts:
          { type: array, items: { type: object, properties: { at: { type: object, additionalProperties: ${value} } } } }
`;
}

const UUIDS = shopModel(', format: uuid');
const LOWER = '0198c0de-7a1b-7c3d-8e4f-5a6b7c8d9e0f';
const UPPER = LOWER.toUpperCase();
const OTHER = 'ffffffff-7a1b-7c3d-8e4f-5a6b7c8d9e0f';

const NOTHING = { list: [], parts: [] };

/** @param device a text in any case, which becomes a value of each field */
function item(device: string): JsonObject {
  return {
    device,
    name: `${device} "\u001f`,
    list: [device, 'é'],
    places: { [UPPER]: device, é: 'x' },
    deep: { key: device, name: device, size: 1.5 },
    parts: [{ at: { a: device, b: null } }, { at: null }, { at: {} }],
  };
}

function withLower(of: JsonObject): JsonObject {
  return {
    ...of,
    device: LOWER,
    list: [LOWER, 'é'],
    places: { [UPPER]: LOWER, é: 'x' },
    deep: { key: LOWER, name: UPPER, size: 1.5 },
    parts: [{ at: { a: LOWER, b: null } }, { at: null }, { at: {} }],
  };
}

/** Fills a database of a build that stored UUIDs as they were sent. */
async function fill(database: MigratedDatabase, text: string, rows: Readonly<Record<string, JsonObject>>) {
  const store = await database.open(text);
  await commit(store, ...Object.entries(rows).map(([id, values]) => create('items', id, values)));
  await store.close();
  await database.run("delete from restwright_meta where name = 'uuids'");
}

async function readDevice(store: Store, id: string): Promise<unknown> {
  return (await readRow(store, 'items', id))['device'];
}

/** Tests if a row has the members of another one. */
async function assertRow(store: Store, id: string, expected: JsonObject): Promise<void> {
  const row = await readRow(store, 'items', id);
  assert.deepEqual(Object.fromEntries(Object.keys(expected).map((name) => [name, row[name]])), expected);
}

for (const [name, newDatabase] of migratedDatabases) {
  describe(`stored UUIDs in upper case, on ${name}`, () => {
    it('[REP-2] are in lower case after the next start, in objects, maps and arrays, too', async (context) => {
      const database = newDatabase(context);
      const rows = { a: item(UPPER), b: item(OTHER), c: NOTHING };
      await fill(database, UUIDS, rows);
      assert.deepEqual(
        (await database.plan(UUIDS)).map(({ purpose, cost }) => [purpose, cost.rows]),
        [['write the UUIDs of items in lower case', 1]],
      );
      await assert.rejects(database.open(UUIDS, 'none', false), /update "?items"?/);
      const converted = await database.open(UUIDS);
      await assertRow(converted, 'a', withLower(item(UPPER)));
      await assertRow(converted, 'b', item(OTHER));
      await converted.close();
      assert.deepEqual(await database.plan(UUIDS), []);
    });

    it('[REP-2] of a field that gets the format later are converted then, and other texts stay', async (context) => {
      const database = newDatabase(context);
      await fill(database, shopModel(''), {
        a: item(UPPER),
        b: item('No UUID'),
        c: { ...NOTHING, device: `${UPPER}a` },
      });
      await (await database.open(shopModel(''))).close();
      const converted = await database.open(UUIDS, 'losses');
      await assertRow(converted, 'a', withLower(item(UPPER)));
      await assertRow(converted, 'b', item('No UUID'));
      assert.equal(await readDevice(converted, 'c'), `${UPPER}a`);
      await converted.close();
    });

    it('[REP-2] whose lower case another row has are named, and stay with consent', async (context) => {
      const database = newDatabase(context);
      const keyed = shopModel(', format: uuid', 'unique: [[device, name], [code]]');
      const [other, third] = [OTHER.toUpperCase(), OTHER.replace('f', 'A')];
      await fill(database, keyed, {
        a: { ...NOTHING, device: UPPER, name: 'x' },
        b: { ...NOTHING, device: LOWER, name: 'x' },
        c: { ...NOTHING, device: UPPER, name: 'y' },
        d: { ...NOTHING, device: other, code: OTHER },
        e: { ...NOTHING, device: other, code: other },
        f: { ...NOTHING, device: third, code: third },
      });
      await assert.rejects(database.open(keyed), (error) => {
        assert.ok(error instanceof LossySchemaChange);
        assert.match(error.message, /items has unique device, name by the value of UUIDs: 1 row breaks it \(a\)/);
        assert.match(error.message, /items has unique code by the value of UUIDs: 1 row breaks it \(e\)/);
        return true;
      });
      const converted = await database.open(keyed, 'losses');
      const devices = await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map((id) => readDevice(converted, id)));
      assert.deepEqual(devices, [UPPER, LOWER, LOWER, OTHER, OTHER, third.toLowerCase()]);
      const codes = await Promise.all(
        ['d', 'e', 'f'].map(async (id) => (await readRow(converted, 'items', id))['code']),
      );
      assert.deepEqual(codes, [OTHER, other, third.toLowerCase()]);
      await converted.close();
      assert.deepEqual(await database.plan(keyed), []);
    });

    it('[CACHE-1] change the ETags of all rows, since no revision changes', async (context) => {
      const database = newDatabase(context);
      await fill(database, UUIDS, { a: { ...NOTHING, device: LOWER } });
      const epochs: string[] = [];
      for (const change of ['', `update items set device = '${UPPER}'`, '']) {
        if (change !== '') await database.run(`${change}; delete from restwright_meta where name = 'uuids'`);
        const store = await database.open(UUIDS);
        epochs.push((await store.cacheEpoch('a name', 0)).id);
        await store.close();
      }
      const [first, converted, last] = epochs;
      assert.notEqual(converted, first);
      assert.equal(last, converted);
    });
  });
}
