import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LossySchemaChange } from '../../src/stores/sql/schema/schema-errors.ts';
import type { Store } from '../../src/stores/store.ts';
import { commit, create, readRow } from '../../store-suite/sample-writes.ts';
import { type MigratedDatabase, migratedDatabases } from './migrated-databases.ts';

const SECRET = 'hs256_secret: 0123456789abcdef0123456789abcdef, audience: desk';

/** @param issuers each an `iss`, with the members after it */
function deskModel(issuers: readonly string[]): string {
  return `
name: desk
auth: { issuers: [${issuers.map((issuer) => `{ ${SECRET}, issuer: ${issuer} }`).join(', ')}] }
webhooks: {}
resources:
  notes:
    schema: { type: object, properties: { owner_id: { type: string, readOnly: true }, editor: { type: string } } }
    access: { read: authenticated, write: authenticated, owner: owner_id, rows: { update: { editor: $caller.owner } } }
`;
}

const PORTS = deskModel(['https://a.example.com:8443/', 'https://b.example.com:9443/', 'https://c.example.com/']);
const BOTH = deskModel(['https://a.example.com/', 'https://a.example.com:8443/']);

/** Makes a database of the form in which names of issuers could have a colon. */
async function fill(database: MigratedDatabase, text: string, owners: readonly string[]): Promise<void> {
  const store = await database.open(text);
  const rows = owners.map((owner, at) => create('notes', `n${at}`, { owner_id: owner, editor: owner }));
  await commit(store, ...rows);
  await store.close();
  await database.run(`update restwright_meta set value = 'issuer:subject' where name = 'owners'`);
}

async function readOwners(store: Store, count: number): Promise<readonly (readonly unknown[])[]> {
  const ids = Array.from({ length: count }, (_, at) => `n${at}`);
  return Promise.all(
    ids.map(async (id) => {
      const { owner_id: owner, editor } = await readRow(store, 'notes', id);
      return [owner, editor];
    }),
  );
}

const WEBHOOKS = ['01a19467-e807-7001-8000-000000000001', '01a19467-e807-7002-8000-000000000002'] as const;

for (const [store, newDatabase] of migratedDatabases) {
  describe(`stored owners of issuers with ports, on ${store}`, () => {
    it('[AUTH-9b] are converted where they can be of one caller only, also those that policies compare', async (context) => {
      const database = newDatabase(context);
      const owners = [
        'a.example.com:8443:ann',
        'b.example.com:9443:x:1',
        'c.example.com:8443:ann',
        'api-keys:ann',
        ":it's nobody's",
      ];
      await fill(database, PORTS, owners);
      assert.deepEqual(
        (await database.plan(PORTS)).map(({ purpose, cost }) => [purpose, cost.rows]),
        [
          ['name the owners of notes.owner_id by issuers without a colon', 2],
          ['name the owners of notes.editor by issuers without a colon', 2],
        ],
      );
      await assert.rejects(database.open(PORTS, 'none', false), /a\.example\.com~8443/);
      const converted = await database.open(PORTS);
      const expected = ['a.example.com~8443:ann', 'b.example.com~9443:x:1', ...owners.slice(2)];
      assert.deepEqual(
        await readOwners(converted, owners.length),
        expected.map((owner) => [owner, owner]),
      );
      await converted.close();
      assert.deepEqual(await database.plan(PORTS), []);
    });

    it('[AUTH-9b] are named where they may be of two callers, and are nobody with consent', async (context) => {
      const database = newDatabase(context);
      const owners = ['a.example.com:8443:ann', 'a.example.com:ann', 'gone:ben'];
      await fill(database, BOTH, owners);
      await assert.rejects(database.open(BOTH), (error) => {
        assert.ok(error instanceof LossySchemaChange);
        assert.match(error.message, /notes\.owner_id: the owners of 1 row \(n0\) may be of callers of two issuers/);
        assert.match(error.message, /notes\.owner_id: the owners of 1 row \(n2\) name no issuer of the model/);
        return true;
      });
      await database.run(`update notes set editor = 'free text: yes' where id = 'n1'`);
      const converted = await database.open(BOTH, 'losses');
      assert.deepEqual(await readOwners(converted, owners.length), [
        [':a.example.com:8443:ann', ':a.example.com:8443:ann'],
        ['a.example.com:ann', 'free text: yes'],
        ['gone:ben', 'gone:ben'],
      ]);
      await converted.close();
      assert.deepEqual(await database.plan(BOTH), []);
    });

    it('[AUTH-9b] follow an issuer whose declared name had a colon, with ~ in its place', async (context) => {
      const database = newDatabase(context);
      const named = deskModel(['https://a.example.com/, name: corp~eu', 'https://b.example.com/, name: corps']);
      await fill(database, named, ['corp:eu:ann', 'corps:ann']);
      const converted = await database.open(named);
      assert.deepEqual(await readOwners(converted, 2), [
        ['corp~eu:ann', 'corp~eu:ann'],
        ['corps:ann', 'corps:ann'],
      ]);
      await converted.close();
    });

    it('[AUTH-9b] of webhooks follow the issuer that a webhook records', async (context) => {
      const database = newDatabase(context);
      const before = await database.open(BOTH);
      const hook = { url: 'https://h.example.com/', event_types: ['*'], format: 'native', status: 'enabled' };
      const rest = { ordered: false, version: '1.0.0', start: 0, secret: 'whsec_x' };
      const by = (issuer: string, subject: string) => ({
        ...hook,
        ...rest,
        owner: `${issuer}:${subject}`,
        creator: { issuer, subject, client: null, scopes: [] },
      });
      await commit(
        before,
        create('webhooks', WEBHOOKS[0], by('a.example.com:8443', 'ann')),
        create('webhooks', WEBHOOKS[1], by('a.example.com', '8443:ann')),
      );
      await before.close();
      await database.run(`update restwright_meta set value = 'issuer:subject' where name = 'owners'`);
      const converted = await database.open(BOTH);
      const owners = await Promise.all(WEBHOOKS.map(async (id) => (await readRow(converted, 'webhooks', id))['owner']));
      assert.deepEqual(owners, ['a.example.com~8443:ann', 'a.example.com:8443:ann']);
      await converted.close();
    });
  });
}
