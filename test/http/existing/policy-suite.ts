import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ApiUnderTest, apiUnderTest } from '../../pipeline/support/api-under-test.ts';
import { as, callerTokens } from '../../pipeline/support/caller-tokens.ts';
import type { ExistingSource } from '../../stores/existing/existing-source.ts';

const TABLES = `
create table project (id integer primary key, tenant text not null);
create table article (id integer primary key, project int references project, status text not null, title text);
insert into project values (1, 'acme'), (2, 'byte');
insert into article values (1, 1, 'DRAFT', 'of acme'), (2, 2, 'LIVE', 'of byte'), (3, 2, 'DRAFT', 'hidden from acme');
`;

const MODEL = `
name: desk
auth: { issuers: [{ name: test, issuer: https://id.example.com, audience: desk, hs256_secret: 0123456789abcdef0123456789abcdef }] }
limits: { rate: false }
resources:
  projects:
    table: project
    schema: { type: object, properties: { tenant: { type: string } } }
    access: { read: authenticated, rows: { read: { tenant: $caller.claims.tenant } } }
  articles:
    table: article
    columns: { project_id: project }
    schema:
      type: object
      properties:
        status: { type: string }
        title: { type: string }
        project_id: { type: string, x-references: { resource: projects, inverse: articles } }
    access:
      read: authenticated
      rows: { read: { any: [{ status: LIVE }, { project.tenant: $caller.claims.tenant }] } }
`;

const ANN = as({ subject: 'ann', claims: { tenant: 'acme' } });
const BOB = as({ subject: 'bob', claims: { tenant: 'byte' } });

/** Tests policies on rows of tables that exist. @param open creates a database with tables */
export function policySuite(database: string, open: (sql: string) => ExistingSource | Promise<ExistingSource>): void {
  describe(`policies on rows of a table that exists in ${database}`, () => {
    let source: ExistingSource;
    let api: ApiUnderTest;
    before(async () => {
      source = await open(TABLES);
      api = await apiUnderTest(MODEL, { readOnly: true, database: source.url, tokens: callerTokens() });
    });
    after(async () => {
      await api.close();
      await source.close();
    });

    const assertListed = async (ofAnn: readonly string[], ofBob: readonly string[]): Promise<void> => {
      for (const [headers, titles] of [
        [ANN, ofAnn],
        [BOB, ofBob],
      ] as const) {
        const { status, body, text } = await api.send({ send: 'GET /api/v1/articles?include_total=true', headers });
        assert.equal(status, 200, text);
        assert.deepEqual(
          body.data.map(({ title }: { title: string }) => title),
          titles,
        );
        assert.equal(body.page.total_count, titles.length);
      }
    };

    it('[AUTH-9b] select the rows of a page by its own columns and those of a related table', async () => {
      for (let time = 0; time < 2; time += 1)
        await assertListed(['of acme', 'of byte'], ['of byte', 'hidden from acme']);
    });

    it('[AUTH-5b] hide a row as if there were none, also after its reader has cached it', async () => {
      for (let time = 0; time < 3; time += 1) {
        await api.row({ send: 'GET /api/v1/articles/3', headers: BOB, status: 200 });
        await api.row({ send: 'GET /api/v1/articles/3', headers: ANN, status: 404 });
        await api.row({ send: 'GET /api/v1/articles/none', headers: ANN, status: 404 });
      }
    });

    it('[AUTH-9b] hide what a row refers to, and what refers to it', async () => {
      const { body } = await api.send({ send: 'GET /api/v1/articles/2?expand=project', headers: ANN });
      assert.equal(body.project, null);
      await api.row({ send: 'GET /api/v1/projects/2', headers: ANN, status: 404 });
      const { body: own } = await api.send({ send: 'GET /api/v1/projects/2?expand=articles', headers: BOB });
      assert.equal(own.articles.data.length, 2);
    });

    it('[AUTH-9b] follow the writes of another program', async () => {
      await assertListed(['of acme', 'of byte'], ['of byte', 'hidden from acme']);
      await source.change(`update project set tenant = 'acme' where id = 2`);
      await assertListed(['of acme', 'of byte', 'hidden from acme'], ['of byte']);
    });
  });
}
