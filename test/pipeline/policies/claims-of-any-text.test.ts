import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { PostgresSchemas } from '../../postgres-schemas.ts';
import { startPostgres } from '../../postgres-server.ts';
import { type ApiUnderTest, apiUnderTest } from '../support/api-under-test.ts';
import { as, callerTokens } from '../support/caller-tokens.ts';

const server = await startPostgres();
const schemas = new PostgresSchemas();
after(async () => {
  await schemas.drop(server.url('public'));
  await server.stop();
});

/** The rules that compare a claim with a text, by the collection that has them. */
const RULES = {
  equal: '{ tenant: $caller.claims.tenant }',
  others: '{ not: { tenant: $caller.claims.tenant } }',
  beginning: '{ tenant: { starts_with: $caller.claims.tenant } }',
  containing: '{ tenant: { contains: $caller.claims.tenant } }',
  tagged: '{ tags: { contains: $caller.claims.tenant } }',
  below: '{ tenant: { lt: $caller.claims.tenant } }',
  listed: '{ tenant: { in: $caller.claims.tenants } }',
  unlisted: '{ tenant: { nin: $caller.claims.tenants } }',
} as const;

const MODEL = `
name: desk
auth: { issuers: [{ name: test, issuer: https://id.example.com, audience: desk, hs256_secret: 0123456789abcdef0123456789abcdef }] }
limits: { rate: false }
resources:
${Object.entries(RULES)
  .map(
    ([name, rule]) => `  ${name}:
    id: client
    singular: ${name}_note
    schema: { type: object, properties: { tenant: { type: string }, tags: { type: array, items: { type: string } } } }
    access: { read: authenticated, write: authenticated, rows: { read: ${rule}, create: { tenant: a }, update: ${rule}, delete: ${rule} } }`,
  )
  .join('\n')}
`;

const TEXTS = ['a\0', 'a\ud800', 'a\uffff', 'a\u{1fffe}'];

/** Sends the requests that a policy decides. */
async function assertHidden(api: ApiUnderTest, path: string, text: string): Promise<void> {
  const headers = as({ subject: 'ann', scopes: ['events:read'], claims: { tenant: text, tenants: ['b', text] } });
  const list = await api.row({ send: `GET ${path}?tenant=a`, headers, status: 200 });
  assert.deepEqual(list.body.data, [], path);
  for (const [send, body] of [
    [`GET ${path}/a`, undefined],
    [`PUT ${path}/a`, { tenant: 'b' }],
    [`DELETE ${path}/a`, undefined],
  ] as const) {
    const { status, text: answer } = await api.send({ send, headers, ...(body === undefined ? {} : { body }) });
    assert.ok(status >= 400 && status < 500, `${send}: ${status} ${answer}`);
  }
  const events = await api.send({ send: 'GET /api/v1/events?limit=50', headers });
  assert.equal(events.status, 200, events.text);
}

for (const [store, database] of [
  ['SQLite', null],
  ['PostgreSQL', server.url(schemas.name('claims'))],
] as const) {
  describe(`a claim with a text that no row can have, on ${store}`, () => {
    it('[AUTH-5a] [REP-7] is unknown to every comparison, so that a rule and its negation show no row', async () => {
      const options = { tokens: callerTokens(), ...(database === null ? {} : { database }) };
      await using api = await apiUnderTest(MODEL, options);
      const headers = as({ subject: 'root', claims: { tenant: 'a', tenants: ['a'] } });
      for (const name of Object.keys(RULES)) {
        const body = { id: 'a', tenant: 'a', tags: ['a'] };
        const { status, text: answer } = await api.send({ send: `POST /api/v1/${name}`, headers, body });
        assert.equal(status, 201, answer);
        await api.newEvents();
        for (const text of TEXTS) await assertHidden(api, `/api/v1/${name}`, text);
      }
    });
  });
}
