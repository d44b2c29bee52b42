import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { load, rejectsEach } from '../../loading.ts';

const document = (auth: object, resource: object = { table: 'item' }): string =>
  JSON.stringify({
    name: 'shop',
    auth: {
      issuers: [{ issuer: 'https://id.example.com', audience: 'shop', hs256_secret: 'x'.repeat(32) }],
      ...auth,
    },
    trusted_proxies: ['10.0.0.1'],
    resources: { items: { schema: { type: 'object' }, ...resource } },
  });
const ROLE = { database_role: { roles: ['web'] } };

describe('auth.database_role', () => {
  it('[AUTH-13a] has the claim role, and no role for callers without a token', () => {
    const { model } = load(document(ROLE));
    assert.deepEqual(model.auth?.databaseRole, { claim: 'role', roles: ['web'], anonymous: null });
    const all = { claim: 'db_role', roles: ['web', 'staff'], anonymous: 'anon' };
    assert.deepEqual(load(document({ database_role: all })).model.auth?.databaseRole, all);
  });

  it('[AUTH-13e] makes every response private, whatever the model declares', () => {
    const shared = { table: 'item', access: { read: 'public' }, cache: { max_age: 60, scope: 'public' } };
    const read = (auth: object): unknown => load(document(auth, shared)).model.resources.get('items')?.cache?.scope;
    assert.equal(read({}), 'public');
    assert.equal(read(ROLE), 'private');
  });

  const rejected: readonly (readonly [title: string, text: string, path: string, cause: RegExp, fix: RegExp])[] = [
    ['needs a list of roles', document({ database_role: {} }), 'auth.database_role.roles', /required/, /./],
    ['needs a role', document({ database_role: { roles: [] } }), 'auth.database_role.roles', /./, /./],
    ['does not list none', document({ database_role: { roles: ['none'] } }), 'auth.database_role', /none is/, /fewer/],
    [
      'is not none for anonymous callers, either',
      document({ database_role: { roles: ['web'], anonymous: 'none' } }),
      'auth.database_role',
      /none is the role of the server/,
      /fewer rights/,
    ],
    ['has no API keys', document({ ...ROLE, api_keys: true }), 'auth.api_keys', /API keys name no role/, /remove/],
    [
      'has no gateway',
      document({ ...ROLE, gateway: { secret: 'horse' } }),
      'auth.gateway',
      /a gateway names no role/,
      /remove gateway/,
    ],
    ['has no own rows', document(ROLE, {}), 'resources.items', /tables that exist alone/, /name the table/],
  ];
  rejectsEach(
    rejected.map(([title, text, path, cause, fix]) => ({
      title: `[AUTH-13d] ${title}`,
      text,
      path,
      line: 1,
      cause,
      fix,
    })),
  );
});
