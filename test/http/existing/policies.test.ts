import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { type ApiUnderTest, apiUnderTest } from '../../pipeline/support/api-under-test.ts';
import { as, callerTokens } from '../../pipeline/support/caller-tokens.ts';
import { changeAfterReads, sourceFile } from '../../stores/existing/source-file.ts';

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

interface Desk {
  readonly api: ApiUnderTest;
  readonly file: string;
}

async function openDesk(context: TestContext): Promise<Desk> {
  const file = sourceFile(context, TABLES);
  const api = await apiUnderTest(MODEL, { readOnly: true, database: file, tokens: callerTokens() });
  context.after(() => api.close());
  return { api, file };
}

async function listTitles({ api }: Desk, headers: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const { status, body, text } = await api.send({ send: 'GET /api/v1/articles', headers });
  assert.equal(status, 200, text);
  return body.data.map(({ title }: { title: string }) => title);
}

describe('policies on rows of a table that exists', () => {
  it('[AUTH-9b] select the rows of a page by its own columns and those of a related table', async (context) => {
    const desk = await openDesk(context);
    for (let time = 0; time < 2; time += 1) {
      assert.deepEqual(await listTitles(desk, ANN), ['of acme', 'of byte']);
      assert.deepEqual(await listTitles(desk, BOB), ['of byte', 'hidden from acme']);
    }
  });

  it('[AUTH-5b] hide a row as if there were none, also after its reader has cached it', async (context) => {
    const { api } = await openDesk(context);
    for (let time = 0; time < 3; time += 1) {
      await api.row({ send: 'GET /api/v1/articles/3', headers: BOB, status: 200 });
      await api.row({ send: 'GET /api/v1/articles/3', headers: ANN, status: 404 });
      await api.row({ send: 'GET /api/v1/articles/none', headers: ANN, status: 404 });
    }
  });

  it('[AUTH-9b] hide what a row refers to, and what refers to it', async (context) => {
    const { api } = await openDesk(context);
    const { body } = await api.send({ send: 'GET /api/v1/articles/2?expand=project', headers: ANN });
    assert.equal(body.project, null);
    await api.row({ send: 'GET /api/v1/projects/2', headers: ANN, status: 404 });
    const { body: own } = await api.send({ send: 'GET /api/v1/projects/2?expand=articles', headers: BOB });
    assert.equal(own.articles.data.length, 2);
  });

  it('[AUTH-9b] follow the writes of another program', async (context) => {
    const desk = await openDesk(context);
    assert.deepEqual(await listTitles(desk, ANN), ['of acme', 'of byte']);
    await changeAfterReads(desk.file, `update project set tenant = 'acme' where id = 2`);
    assert.deepEqual(await listTitles(desk, ANN), ['of acme', 'of byte', 'hidden from acme']);
    assert.deepEqual(await listTitles(desk, BOB), ['of byte']);
  });
});
