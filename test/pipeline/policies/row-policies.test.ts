import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ApiUnderTest, apiUnderTest } from '../support/api-under-test.ts';
import { as, callerTokens } from '../support/caller-tokens.ts';

const MODEL = `
name: desk
auth: { issuers: [{ name: test, issuer: https://id.example.com, audience: desk, hs256_secret: 0123456789abcdef0123456789abcdef }] }
limits: { rate: false }
resources:
  notes:
    id: client
    schema:
      type: object
      properties:
        text: { type: string }
        owner_id: { type: string, readOnly: true }
        about_id: { type: string, x-references: { resource: notes, as: about, inverse: mentions } }
    access: { read: authenticated, write: authenticated, owner: { field: owner_id, bypass: notes:admin } }
  projects:
    id: client
    schema: { type: object, properties: { tenant: { type: string }, name: { type: string, x-unique: true } } }
    access: { read: authenticated, write: authenticated, rows: { read: { tenant: $caller.claims.tenant } } }
  tasks:
    id: client
    parent: projects
    schema: { type: object, properties: { title: { type: string }, note_id: { type: string, x-references: notes } } }
    access: { read: authenticated, write: authenticated }
  steps:
    parent: projects
    schema: { type: object, properties: { title: { type: string } } }
    access: { read: authenticated, write: authenticated }
  remarks:
    id: client
    schema:
      type: object
      properties: { text: { type: string }, step_id: { type: string, x-references: steps } }
    access: { read: authenticated, write: authenticated }
  reports:
    id: client
    parent: projects
    schema:
      type: object
      properties: { source_id: { type: string, x-references: { resource: projects, as: source } } }
    access: { read: authenticated, write: authenticated, rows: { read: { source.tenant: $caller.claims.tenant } } }
  folders:
    id: client
    schema: { type: object, properties: { name: { type: string } } }
    access: { read: authenticated, write: authenticated }
  files:
    id: client
    parent: folders
    schema:
      type: object
      properties: { tenant: { type: string }, folder_ref_id: { type: string, x-references: folders } }
    access: { read: authenticated, write: authenticated, rows: { read: { tenant: $caller.claims.tenant } } }
  memos:
    id: client
    search: [text]
    schema: { type: object, properties: { tenant: { type: string }, text: { type: string } } }
    access: { read: authenticated, write: authenticated, rows: { read: { tenant: $caller.claims.tenant } } }
  articles:
    id: client
    schema:
      type: object
      properties:
        status: { type: string, enum: [DRAFT, LIVE], default: DRAFT }
        project_id: { type: string, x-references: { resource: projects, inverse: articles } }
        likes: { type: integer, default: 0 }
    access:
      read: authenticated
      write: authenticated
      rows:
        read: { any: [{ status: LIVE }, { project.tenant: $caller.claims.tenant }] }
        update: { project.tenant: $caller.claims.tenant }
        delete: { project.tenant: $caller.claims.tenant }
`;

const ANN = as({ subject: 'ann', claims: { tenant: 'acme' } });
const BOB = as({ subject: 'bob', claims: { tenant: 'byte' } });
const NONE = as({ subject: 'eve' });
const ADMIN = as({ subject: 'root', scopes: ['notes:admin'] });

async function desk(): Promise<ApiUnderTest> {
  const api = await apiUnderTest(MODEL, { tokens: callerTokens() });
  const create = async (headers: Record<string, string>, path: string, body: object): Promise<void> => {
    const { status, text } = await api.send({ send: `POST /api/v1/${path}`, headers, body });
    assert.equal(status, 201, text);
  };
  await create(ANN, 'notes', { id: 'a1', text: 'of Ann' });
  await create(BOB, 'notes', { id: 'b1', text: 'of Bob' });
  await create(ANN, 'projects', { id: 'pa', tenant: 'acme', name: 'A' });
  await create(BOB, 'projects', { id: 'pb', tenant: 'byte', name: 'B' });
  await create(ANN, 'projects/pa/tasks', { id: 't', title: 'A task' });
  await create(BOB, 'projects/pb/tasks', { id: 't', title: 'B task' });
  await create(ANN, 'articles', { id: 'da', project_id: 'pa' });
  await create(BOB, 'articles', { id: 'lb', project_id: 'pb', status: 'LIVE' });
  await create(BOB, 'articles', { id: 'db', project_id: 'pb' });
  return api;
}

type Request = Parameters<ApiUnderTest['send']>[0];

/** Answers without what differs in every answer. */
async function comparable(api: ApiUnderTest, request: Request) {
  const { status, body, headers } = await api.send(request);
  const { correlationId: _id, timestamp: _at, path: _path, ...rest } = body ?? {};
  return { status, rest, type: headers.get('content-type') };
}

describe('the owner of a row', () => {
  it('[AUTH-9b] is the caller that creates it, whatever the body says', async () => {
    await using api = await desk();
    const { body } = await api.send({ send: 'GET /api/v1/notes/a1', headers: ANN });
    assert.equal(body.owner_id, 'ann');
    const put = await api.send({ send: 'PUT /api/v1/notes/new', headers: ANN, body: { text: 'x' } });
    assert.deepEqual([put.status, put.body.owner_id], [201, 'ann']);
  });

  for (const send of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE']) {
    it(`[AUTH-5b] [AUTH-9b] hides it from others: ${send} responds as for no row`, async () => {
      await using api = await desk();
      const body = send === 'PUT' || send === 'PATCH' ? { text: 'mine' } : undefined;
      const headers = send === 'PATCH' ? { ...BOB, 'Content-Type': 'application/merge-patch+json' } : BOB;
      // Twice: also from the caches.
      for (let time = 0; time < 2; time += 1) {
        await api.send({ send: 'GET /api/v1/notes/a1', headers: ANN });
        const hidden = await comparable(api, { send: `${send} /api/v1/notes/a1`, headers, body });
        assert.equal(hidden.status, 404);
        if (send !== 'PUT') {
          const absent = await comparable(api, { send: `${send} /api/v1/notes/none`, headers, body });
          assert.deepEqual(hidden, absent);
        }
      }
      assert.equal((await api.send({ send: 'GET /api/v1/notes/a1', headers: ANN })).body.text, 'of Ann');
    });
  }

  it('[AUTH-9b] shows all rows to a caller with the scope that bypasses it', async () => {
    await using api = await desk();
    const { body } = await api.send({ send: 'GET /api/v1/notes?sort=id', headers: ADMIN });
    assert.deepEqual(
      body.data.map((each: { id: string }) => each.id),
      ['a1', 'b1'],
    );
    assert.equal((await api.send({ send: 'DELETE /api/v1/notes/a1', headers: ADMIN })).status, 204);
  });
});

describe('a page', () => {
  it('[AUTH-5a] [PAGE-9b] has the visible rows, and counts no others', async () => {
    await using api = await desk();
    for (let time = 0; time < 3; time += 1) {
      for (const [headers, ids] of [
        [ANN, ['pa']],
        [BOB, ['pb']],
        [NONE, []],
      ] as const) {
        const { body } = await api.send({ send: 'GET /api/v1/projects?include_total=true', headers });
        assert.deepEqual([body.data.map((each: { id: string }) => each.id), body.page.total_count], [ids, ids.length]);
      }
    }
  });

  it('[CACHE-2] shares its ETag with those who see the same alone', async () => {
    await using api = await desk();
    const etag = async (headers: Record<string, string>): Promise<string | undefined> =>
      (await api.send({ send: 'GET /api/v1/projects', headers })).headers.get('etag');
    const other = as({ subject: 'al', claims: { tenant: 'acme' } });
    assert.equal(await etag(ANN), await etag(other));
    assert.notEqual(await etag(ANN), await etag(BOB));
    assert.notEqual(await etag(NONE), await etag(BOB));
    const theirs = (await etag(BOB)) ?? '';
    const conditional = { send: 'GET /api/v1/projects', headers: { ...ANN, 'If-None-Match': theirs } };
    assert.equal((await api.send(conditional)).status, 200);
  });

  it('[AUTH-5a] of a filter over a relation looks through no hidden row', async () => {
    await using api = await desk();
    const ids = async (filter: string): Promise<readonly string[]> => {
      const { status, body, text } = await api.send({ send: `GET /api/v1/articles?${filter}`, headers: ANN });
      assert.equal(status, 200, text);
      return body.data.map((each: { id: string }) => each.id);
    };
    assert.deepEqual(await ids('sort=id'), ['da', 'lb']);
    assert.deepEqual(await ids('project.name=B'), []);
    assert.deepEqual(await ids('project.name=A'), ['da']);
  });

  it('[AUTH-5a] [QRY-4] embeds no hidden row', async () => {
    await using api = await desk();
    const { body } = await api.send({ send: 'GET /api/v1/articles?expand=project&sort=id', headers: ANN });
    assert.deepEqual(
      body.data.map((each: { project: { id: string } | null }) => each.project?.id ?? null),
      ['pa', null],
    );
  });
});

describe('rows below a hidden one', () => {
  for (const path of ['tasks', 'tasks/t']) {
    it(`[AUTH-5b] [URL-7] are not found by its path: ${path}`, async () => {
      await using api = await desk();
      const hidden = await comparable(api, { send: `GET /api/v1/projects/pb/${path}`, headers: ANN });
      assert.deepEqual([hidden.status, hidden.rest.errorCode], [404, 'PROJECT_NOT_FOUND']);
      assert.deepEqual(hidden, await comparable(api, { send: `GET /api/v1/projects/none/${path}`, headers: ANN }));
    });
  }

  it('[AUTH-5b] [URL-7] cannot be created', async () => {
    await using api = await desk();
    const create = { send: 'POST /api/v1/projects/pb/tasks', headers: ANN, body: { title: 'x' } };
    assert.deepEqual((await comparable(api, create)).rest.errorCode, 'PROJECT_NOT_FOUND');
    const bad = { ...create, body: { title: 3 } };
    assert.deepEqual((await comparable(api, bad)).rest.errorCode, 'PROJECT_NOT_FOUND');
  });
});

describe('a write', () => {
  it('[AUTH-5c] to a row that the caller sees and may not change is 403', async () => {
    await using api = await desk();
    for (const [send, body] of [
      ['DELETE /api/v1/articles/lb', undefined],
      ['PUT /api/v1/articles/lb', { likes: 1 }],
    ] as const) {
      const { status, body: error } = await api.send({ send, headers: ANN, body });
      assert.deepEqual([status, error.errorCode], [403, 'ARTICLE_FORBIDDEN']);
    }
  });

  it('[AUTH-5c] that is forbidden is judged before preconditions and the body', async () => {
    await using api = await desk();
    const headers = { ...ANN, 'If-Match': '"other"' };
    const { status } = await api.send({ send: 'PUT /api/v1/articles/lb', headers, body: { likes: 'many' } });
    assert.equal(status, 403);
  });

  it('[AUTH-5c] may not leave a row as one that the caller may not write', async () => {
    await using api = await desk();
    const patch = { ...ANN, 'Content-Type': 'application/merge-patch+json' };
    const moved = await api.send({ send: 'PATCH /api/v1/projects/pa', headers: patch, body: { tenant: 'byte' } });
    assert.deepEqual([moved.status, moved.body.errorCode], [403, 'PROJECT_FORBIDDEN']);
    const renamed = await api.send({ send: 'PATCH /api/v1/projects/pa', headers: patch, body: { name: 'AA' } });
    assert.equal(renamed.status, 200);
  });

  it('[AUTH-5c] may not create a row that the caller may not create', async () => {
    await using api = await desk();
    const { status, body } = await api.send({
      send: 'POST /api/v1/projects',
      headers: ANN,
      body: { id: 'x', tenant: 'byte' },
    });
    assert.deepEqual([status, body.errorCode], [403, 'PROJECT_FORBIDDEN']);
    assert.equal(
      (await api.send({ send: 'POST /api/v1/projects', headers: NONE, body: { id: 'x', name: 'x' } })).status,
      403,
    );
  });

  it('[AUTH-5c] is judged by the rows that it refers to', async () => {
    await using api = await desk();
    const hidden = await api.send({ send: 'POST /api/v1/articles', headers: ANN, body: { id: 'x', project_id: 'pb' } });
    const absent = await api.send({
      send: 'POST /api/v1/articles',
      headers: ANN,
      body: { id: 'x', project_id: 'none' },
    });
    assert.deepEqual([hidden.status, hidden.body.details], [400, absent.body.details]);
    const patch = { ...ANN, 'Content-Type': 'application/merge-patch+json' };
    const freed = await api.send({ send: 'PATCH /api/v1/articles/da', headers: patch, body: { project_id: null } });
    assert.equal(freed.status, 403);
  });

  it('[MET-10] refers to no hidden row, and keeps a reference to one', async () => {
    await using api = await desk();
    const patch = { ...ANN, 'Content-Type': 'application/merge-patch+json' };
    const refers = (id: string) => api.send({ send: 'PATCH /api/v1/notes/a1', headers: patch, body: { about_id: id } });
    assert.deepEqual((await refers('b1')).body.details, (await refers('none')).body.details);
    const admin = { ...ADMIN, 'Content-Type': 'application/merge-patch+json' };
    await api.send({ send: 'PATCH /api/v1/notes/a1', headers: admin, body: { about_id: 'b1' } });
    const kept = await api.send({ send: 'PATCH /api/v1/notes/a1', headers: patch, body: { text: 'new' } });
    assert.deepEqual([kept.status, kept.body.text, kept.body.about_id], [200, 'new', 'b1']);
    const faulty = await api.send({ send: 'PATCH /api/v1/notes/a1', headers: patch, body: { text: 3 } });
    assert.deepEqual(faulty.body.details, [{ field: 'text', message: 'must be a string, not a number' }]);
  });

  it('[REP-9b] has the links of its row, which all who see the row share, also where they lead to a hidden row', async () => {
    await using api = await desk();
    const step = await api.send({ send: 'POST /api/v1/projects/pb/steps', headers: BOB, body: { title: 'B' } });
    const step_id: string = step.body.id;
    await api.send({ send: 'POST /api/v1/remarks', headers: BOB, body: { id: 'r', step_id } });
    const read = async (headers: Record<string, string>) =>
      (await api.send({ send: 'GET /api/v1/remarks/r', headers })).body;
    const before = await read(BOB);
    assert.equal(before.links.step, `/api/v1/projects/pb/steps/${step_id}`);
    const patch = { ...ANN, 'Content-Type': 'application/merge-patch+json' };
    const { status, body } = await api.send({ send: 'PATCH /api/v1/remarks/r', headers: patch, body: { text: 'new' } });
    assert.deepEqual([status, body.links], [200, before.links]);
    assert.deepEqual([await read(ANN), await read(BOB)], [body, body]);
    const put = await api.send({ send: 'PUT /api/v1/remarks/r', headers: ANN, body: { text: 'x', step_id } });
    assert.deepEqual([put.status, put.body.links, await read(BOB)], [200, before.links, put.body]);
  });

  it('[MET-2] with the id or a unique value of a hidden row is a conflict, and PUT to its id is 404', async () => {
    await using api = await desk();
    const byId = await api.send({ send: 'POST /api/v1/projects', headers: ANN, body: { id: 'pb', tenant: 'acme' } });
    assert.equal(byId.status, 409);
    const byName = await api.send({
      send: 'POST /api/v1/projects',
      headers: ANN,
      body: { id: 'x', tenant: 'acme', name: 'B' },
    });
    assert.equal(byName.status, 409);
    const put = await api.send({ send: 'PUT /api/v1/projects/pb', headers: ANN, body: { tenant: 'acme' } });
    assert.deepEqual([put.status, put.body.errorCode], [404, 'PROJECT_NOT_FOUND']);
  });

  it('[URL-7] below an absent row is 404, also where the caller may not write such a row', async () => {
    await using api = await desk();
    const create = { send: 'POST /api/v1/folders/none/files', headers: ANN, body: { id: 'x', tenant: 'byte' } };
    const absent = await api.send(create);
    assert.deepEqual([absent.status, absent.body.errorCode], [404, 'FOLDER_NOT_FOUND']);
    await api.send({ send: 'POST /api/v1/folders', headers: ANN, body: { id: 'none' } });
    assert.equal((await api.send(create)).status, 403);
  });

  it('[MET-10] that refers to nothing is 400, also where the caller may not write such a row', async () => {
    await using api = await desk();
    await api.send({ send: 'POST /api/v1/folders', headers: ANN, body: { id: 'f' } });
    const body = { id: 'x', tenant: 'byte', folder_ref_id: 'none' };
    const { status, body: error } = await api.send({ send: 'POST /api/v1/folders/f/files', headers: ANN, body });
    assert.deepEqual([status, error.details.map(({ field }: { field: string }) => field)], [400, ['folder_ref_id']]);
  });

  it('[MET-13] of an atomic batch refers to a row above as any other reference does', async () => {
    await using api = await desk();
    await api.send({ send: 'POST /api/v1/articles', headers: ANN, body: { id: 'x', project_id: 'pa' } });
    const operations = [{ method: 'POST', path: '/projects/pa/reports', body: { id: 'r', source_id: 'pa' } }];
    const send = 'POST /api/v1/batches';
    const { status, text } = await api.send({ send, headers: ANN, body: { atomic: true, operations } });
    assert.equal(status, 201, text);
  });

  it('[MET-13] of a line sees the rows of the lines before', async () => {
    await using api = await desk();
    const lines = Array.from({ length: 60 }, (_, index) => ({
      id: `l${index}`,
      ...(index > 0 && { about_id: `l${index - 1}` }),
    }));
    const body = lines.map((line) => JSON.stringify(line)).join('\n');
    const headers = { ...ANN, 'Content-Type': 'application/x-ndjson' };
    const { text } = await api.send({ send: 'POST /api/v1/notes', headers, body });
    const results = text
      .trimEnd()
      .split('\n')
      .map((line): number => JSON.parse(line).status);
    assert.deepEqual(
      results,
      lines.map(() => 201),
    );
  });

  it('[MET-14] of a dry run is judged, too', async () => {
    await using api = await desk();
    const dry = await api.send({
      send: 'POST /api/v1/projects?dry_run=true',
      headers: ANN,
      body: { id: 'x', tenant: 'byte' },
    });
    assert.equal(dry.status, 403);
  });

  for (const atomic of [true, false]) {
    it(`[AUTH-5c] of a batch is judged over the rows as the batch leaves them, ${atomic ? '' : 'not '}atomic`, async () => {
      await using api = await desk();
      const operations = [
        { method: 'POST', path: '/projects', body: { id: 'n', tenant: 'acme', name: 'N' } },
        { method: 'POST', path: '/articles', body: { id: 'x', project_id: 'n' } },
        {
          method: 'PATCH',
          path: '/articles/x',
          body: { likes: 2 },
          headers: { 'Content-Type': 'application/merge-patch+json' },
        },
        { method: 'POST', path: '/projects/n/tasks', body: { id: 'k', title: 'T' } },
      ];
      const done = await api.send({ send: 'POST /api/v1/batches', headers: ANN, body: { atomic, operations } });
      assert.deepEqual([done.status, done.body.status], [201, 'succeeded'], done.text);
      const refused = [
        { method: 'DELETE', path: '/articles/lb' },
        { method: 'DELETE', path: '/projects/pb' },
      ];
      const failed = await api.send({
        send: 'POST /api/v1/batches',
        headers: ANN,
        body: { atomic, operations: refused },
      });
      if (atomic) assert.deepEqual([failed.status, failed.body.errorCode], [403, 'ARTICLE_FORBIDDEN']);
      else
        assert.deepEqual(
          failed.body.results.map((each: { status: number }) => each.status),
          [403, 404],
        );
    });
  }
});

describe('a replay', () => {
  it('[MET-12] is judged by what the caller sees now of the row as it was', async () => {
    await using api = await desk();
    const key = (tenant: string, name: string) => ({
      send: 'POST /api/v1/projects',
      headers: { ...as({ subject: 'mov', claims: { tenant } }), 'Idempotency-Key': 'k' },
      body: { id: 'm', tenant: 'acme', name },
    });
    assert.equal((await api.send(key('acme', 'M'))).status, 201);
    assert.equal((await api.send(key('acme', 'M'))).headers.get('idempotent-replayed'), 'true');
    const later = await api.send(key('byte', 'M'));
    assert.deepEqual([later.status, later.body.errorCode], [404, 'PROJECT_NOT_FOUND']);
    await api.send({ send: 'DELETE /api/v1/projects/m', headers: ANN });
    assert.equal((await api.send(key('acme', 'M'))).status, 201);
    assert.equal((await api.send(key('byte', 'M'))).status, 404);
  });

  it('[MET-13] of a batch record shows no row that the caller would not see now', async () => {
    await using api = await desk();
    const operations = [{ method: 'POST', path: '/projects', body: { id: 'm', tenant: 'acme', name: 'M' } }];
    const before = as({ subject: 'mov', claims: { tenant: 'acme' } });
    const made = await api.send({ send: 'POST /api/v1/batches', headers: before, body: { atomic: true, operations } });
    const read = (claims: { tenant: string }) =>
      api.send({ send: `GET /api/v1/batches/${made.body.id}`, headers: as({ subject: 'mov', claims }) });
    assert.equal((await read({ tenant: 'acme' })).body.results[0].status, 201);
    const hidden = await read({ tenant: 'byte' });
    assert.deepEqual([hidden.body.results[0].status, hidden.text.includes('"M"')], [404, false]);
  });
});

describe('the change number of a collection', () => {
  const list = { send: 'GET /api/v1/notes', headers: ANN };
  const etagOf = async (api: ApiUnderTest): Promise<string> => (await api.send(list)).headers.get('etag') ?? '';
  const status = async (api: ApiUnderTest, etag: string): Promise<number> =>
    (await api.send({ ...list, headers: { ...ANN, 'If-None-Match': etag } })).status;
  const patch = { 'Content-Type': 'application/merge-patch+json' };

  it('[CACHE-2] stays the same while others write rows of their own', async () => {
    await using api = await desk();
    const etag = await etagOf(api);
    await api.send({ send: 'POST /api/v1/notes', headers: BOB, body: { id: 'b2', text: 'x' } });
    await api.send({ send: 'PATCH /api/v1/notes/b1', headers: { ...BOB, ...patch }, body: { text: 'y' } });
    await api.send({ send: 'DELETE /api/v1/notes/b2', headers: BOB });
    assert.equal(await status(api, etag), 304);
    assert.equal(await etagOf(api), etag);
  });

  for (const [what, send, headers, body] of [
    ['created', 'POST /api/v1/notes', ANN, { id: 'a2' }],
    ['updated', 'PATCH /api/v1/notes/a1', { ...ANN, ...patch }, { text: 'y' }],
    ['updated by another', 'PATCH /api/v1/notes/a1', { ...ADMIN, ...patch }, { text: 'y' }],
    ['deleted', 'DELETE /api/v1/notes/a1', ANN, undefined],
  ] as const) {
    it(`[CACHE-2] changes when a visible row is ${what}`, async () => {
      await using api = await desk();
      const etag = await etagOf(api);
      assert.ok((await api.send({ send, headers, body })).status < 300);
      assert.equal(await status(api, etag), 200);
    });
  }

  it('[CACHE-3] of a conditional POST is that of what the caller sees', async () => {
    await using api = await desk();
    const etag = await etagOf(api);
    await api.send({ send: 'POST /api/v1/notes', headers: BOB, body: { id: 'b2' } });
    const headers = { ...ANN, 'If-Match': etag };
    assert.equal((await api.send({ send: 'POST /api/v1/notes', headers, body: { id: 'a2' } })).status, 201);
    assert.equal((await api.send({ send: 'POST /api/v1/notes', headers, body: { id: 'a3' } })).status, 412);
  });
});

describe('a deletion', () => {
  it('[MET-4c] is refused for dependents that are hidden, which it counts and does not name', async () => {
    await using api = await desk();
    const patch = { 'Content-Type': 'application/merge-patch+json' };
    const refer = { send: 'PATCH /api/v1/notes/b1', headers: { ...ADMIN, ...patch }, body: { about_id: 'a1' } };
    assert.equal((await api.send(refer)).status, 200);
    const refused = await api.send({ send: 'DELETE /api/v1/notes/a1', headers: ANN });
    assert.deepEqual([refused.status, refused.body.errorCode], [409, 'NOTE_HAS_DEPENDENTS']);
    const { errorMessage, details } = refused.body;
    assert.doesNotMatch(JSON.stringify([errorMessage, details]), /b1/);
  });
});

describe('every way to read', () => {
  const ids = (body: { readonly data: readonly { readonly id: string }[] }): string =>
    body.data.map(({ id }) => id).join();
  const rows: readonly (readonly [what: string, request: Request, shown: string])[] = [
    ['a page', { send: 'GET /api/v1/articles?sort=id' }, 'da,lb'],
    ['a page of QUERY', { send: 'QUERY /api/v1/articles', body: 'sort=-id&limit=5' }, 'lb,da'],
    ['a filter by id', { send: 'GET /api/v1/articles?id[in]=da,db,lb&sort=id' }, 'da,lb'],
    ['alternatives', { send: 'GET /api/v1/articles?any[1][id]=db&any[2][status]=LIVE&any[3][id]=da&sort=id' }, 'da,lb'],
    [
      'alternatives over a relation',
      { send: 'GET /api/v1/articles?any[1][project.name]=B&any[2][project.name]=A' },
      'da',
    ],
    ['an inverse relation', { send: 'GET /api/v1/projects?any[1][articles.id]=db&any[2][articles.likes]=0' }, 'pa'],
    ['a search', { send: 'GET /api/v1/memos?q=plan&sort=id' }, 'ma'],
    ['a search of QUERY', { send: 'QUERY /api/v1/memos', body: 'q=plan&any[1][id]=mb&any[2][id]=ma' }, 'ma'],
    ['a page after the id of a hidden row', { send: 'GET /api/v1/articles?last_id=db&sort=id' }, 'lb'],
  ];
  for (const [what, { send, body }, shown] of rows) {
    it(`[AUTH-5a] shows visible rows alone, and none without the claim: ${what}`, async () => {
      await using api = await desk();
      for (const [headers, id, tenant] of [
        [ANN, 'ma', 'acme'],
        [BOB, 'mb', 'byte'],
      ] as const)
        await api.send({ send: 'POST /api/v1/memos', headers, body: { id, tenant, text: 'a plan' } });
      const form = body === undefined ? {} : { 'Content-Type': 'application/x-www-form-urlencoded' };
      const sent = (headers: object) => api.send({ send, headers: { ...form, ...headers }, body });
      for (let time = 0; time < 2; time += 1) {
        assert.equal(ids((await sent(ANN)).body), shown);
        assert.equal(ids((await sent(NONE)).body), shown.includes('lb') ? 'lb' : '');
        const lines = await sent({ ...ANN, Accept: 'application/x-ndjson' });
        const listed = lines.text.split('\n').filter((line) => line !== '');
        assert.equal(ids({ data: listed.map((line) => JSON.parse(line)) }), shown);
      }
    });
  }

  it('[AUTH-5a] [MET-5] [PAGE-9b] is HEAD, too: the total of visible rows', async () => {
    await using api = await desk();
    const head = async (headers: object, query: string) => {
      const accept = { Accept: 'text/csv' };
      const seen = await api.send({ send: `HEAD /api/v1/articles?page=1${query}`, headers: { ...headers, ...accept } });
      return [seen.status, seen.headers.get('x-total-count')];
    };
    for (let time = 0; time < 2; time += 1) {
      assert.deepEqual(await head(ANN, ''), [200, '2']);
      assert.deepEqual(await head(BOB, ''), [200, '2']);
      assert.deepEqual(await head(NONE, ''), [200, '1']);
      assert.deepEqual(await head(ANN, '&any[1][id]=db&any[2][id]=da'), [200, '1']);
    }
  });
});

describe('preconditions and preferences', () => {
  const patch = { 'Content-Type': 'application/merge-patch+json' };
  for (const [send, body] of [
    ['GET', undefined],
    ['HEAD', undefined],
    ['PUT', { text: 'mine' }],
    ['PATCH', { text: 'mine' }],
    ['DELETE', undefined],
  ] as const) {
    it(`[AUTH-5b] [CACHE-3] say nothing of a hidden row: ${send} with If-None-Match and If-Match`, async () => {
      await using api = await desk();
      for (const field of ['If-None-Match', 'If-Match']) {
        for (const tags of ['*', '"1"']) {
          const headers = { ...BOB, [field]: tags, ...(send === 'PATCH' ? patch : {}) };
          const { status, headers: fields } = await api.send({ send: `${send} /api/v1/notes/a1`, headers, body });
          assert.deepEqual([status, fields.get('etag')], [404, undefined], `${field}: ${tags}`);
        }
      }
    });
  }

  it('[MET-8] [AUTH-5c] return=minimal has the statuses of the policy', async () => {
    await using api = await desk();
    const minimal = { Prefer: 'return=minimal' };
    const rows = [
      ['POST /api/v1/projects', { ...ANN, ...minimal }, { id: 'n', tenant: 'acme' }, 201],
      ['POST /api/v1/projects', { ...ANN, ...minimal }, { id: 'm', tenant: 'byte' }, 403],
      ['POST /api/v1/projects', { ...NONE, ...minimal }, { id: 'm', name: 'M' }, 403],
      ['PATCH /api/v1/articles/da', { ...ANN, ...minimal, ...patch }, { likes: 3 }, 204],
      ['PATCH /api/v1/articles/lb', { ...ANN, ...minimal, ...patch }, { likes: 3 }, 403],
      ['PATCH /api/v1/articles/db', { ...ANN, ...minimal, ...patch }, { likes: 3 }, 404],
      ['PUT /api/v1/projects/pa', { ...ANN, ...minimal }, { tenant: 'acme', name: 'AA' }, 204],
      ['PUT /api/v1/projects/pb', { ...ANN, ...minimal }, { tenant: 'acme' }, 404],
      ['PATCH /api/v1/projects/pa', { ...ANN, ...minimal, ...patch }, { tenant: 'byte' }, 403],
    ] as const;
    for (const [send, headers, body, wanted] of rows) {
      const { status, text } = await api.send({ send, headers, body });
      assert.deepEqual([status, text === ''], [wanted, wanted < 300], `${send} ${JSON.stringify(body)}`);
    }
  });

  it('[MET-12] [MET-8] a replay under return=minimal is 404 where the row is hidden now', async () => {
    await using api = await desk();
    const create = (tenant: string) => ({
      send: 'POST /api/v1/projects',
      headers: { ...as({ subject: 'mov', claims: { tenant } }), 'Idempotency-Key': 'k', Prefer: 'return=minimal' },
      body: { id: 'm', tenant: 'acme' },
    });
    assert.deepEqual([(await api.send(create('acme'))).status, (await api.send(create('acme'))).status], [201, 201]);
    const { status, headers } = await api.send(create('byte'));
    assert.deepEqual([status, headers.get('location')], [404, undefined]);
  });
});
