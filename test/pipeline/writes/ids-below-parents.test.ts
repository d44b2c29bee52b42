import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject } from '../../../src/conventions/json/json.ts';
import { apiUnderTest, type ApiUnderTest, type Seen } from '../support/api-under-test.ts';
import { DRIVE, filledDrive } from '../models/drive-model.ts';
import { create, parseIds } from '../models/shop-model.ts';

const API = '/api/v1';
const X = 'files/x';

/** A parsed body. */
type Body = Seen['body'];

async function read(drive: ApiUnderTest, path: string): Promise<Body> {
  const { status, text, body } = await drive.send({ send: `GET ${API}/${path}` });
  assert.equal(status, 200, text);
  return body;
}

/** Writes rows of an export as CSV and reads them again; times have the form of the file. */
async function roundTripCsv(
  { api }: ApiUnderTest,
  collection: string,
  rows: readonly JsonObject[],
): Promise<readonly unknown[]> {
  const csv = api.csv(collection);
  const readLine = csv.reader(csv.writer.header.trim());
  const lines = csv.writer.rows(rows).trim().split('\r\n');
  return lines.map((line) => readLine(line));
}

describe('ids below two parents', () => {
  it('[URL-7] [MET-1] are unique below each parent: POST creates in both, and conflicts in the same one', async () => {
    await using drive = await filledDrive();
    assert.equal((await read(drive, `folders/a/${X}`)).name, 'first in a');
    assert.equal((await read(drive, `folders/b/${X}`)).name, 'first in b');
    const send = `POST ${API}/folders/b/files`;
    await drive.row({ send, body: { id: 'x' }, status: 409, has: { errorCode: 'FILE_ALREADY_EXISTS' } });
    await drive.row({ send: `GET ${API}/folders/c/${X}`, status: 404, has: { errorCode: 'FOLDER_NOT_FOUND' } });
  });

  it('[URL-7] [MET-2] PUT creates below the second parent, and replaces only there', async () => {
    await using drive = await filledDrive();
    const z = (folder: string): string => `PUT ${API}/folders/${folder}/files/z`;
    await drive.row({ send: z('a'), body: { name: '1' }, status: 201, events: ['file.created'] });
    await drive.row({ send: z('b'), body: { name: '2' }, status: 201, events: ['file.created'] });
    await drive.row({ send: z('b'), body: { name: '3' }, status: 200, events: ['file.updated'] });
    assert.deepEqual(
      [(await read(drive, 'folders/a/files/z')).name, (await read(drive, 'folders/b/files/z')).name],
      ['1', '3'],
    );
    const put = `PUT ${API}/folders/b/${X}/versions/1`;
    await drive.row({ send: put, body: { size: 5 }, status: 200, has: { size: 5 }, events: ['version.updated'] });
    assert.equal((await read(drive, `folders/a/${X}/versions/1`)).size, 1);
  });

  it('[URL-7] [MET-3] PATCH, JSON Patch and DELETE change only the row of their path', async () => {
    await using drive = await filledDrive();
    await drive.row({
      send: `PATCH ${API}/folders/a/${X}`,
      body: { name: 'n' },
      status: 200,
      events: ['file.updated'],
    });
    const patch = [{ op: 'replace', path: '/size', value: 9 }];
    const headers = { 'Content-Type': 'application/json-patch+json' };
    const send = `PATCH ${API}/folders/a/${X}/versions/1`;
    await drive.row({ send, headers, body: patch, status: 200, has: { size: 9 }, events: ['version.updated'] });
    assert.equal((await read(drive, `folders/b/${X}`)).name, 'first in b');
    assert.equal((await read(drive, `folders/b/${X}/versions/1`)).size, 2);
    const removed = ['file.updated', 'version.deleted', 'file.deleted'];
    await drive.row({ send: `DELETE ${API}/folders/a/${X}`, status: 204, events: removed });
    await drive.row({ send: `GET ${API}/folders/a/${X}`, status: 404 });
    assert.deepEqual(parseIds(await drive.send({ send: `GET ${API}/folders/b/files` })), ['x', 'y']);
    assert.deepEqual((await read(drive, 'folders/a/files/y')).original_id, null);
    assert.deepEqual((await read(drive, 'folders/a/files/y')).see_ids, ['y']);
    assert.deepEqual((await read(drive, 'folders/b/files/y')).see_ids, ['x', 'y']);
    assert.equal((await read(drive, 'folders/b/files/y')).original_id, 'x');
    await drive.row({ send: `DELETE ${API}/folders/a`, status: 204, events: ['file.deleted', 'folder.deleted'] });
    assert.equal((await read(drive, `folders/b/${X}/versions/1`)).size, 2);
  });

  it('[CACHE-1] have different ETags, and a 304 or 412 concerns only the row of the path', async () => {
    await using drive = await filledDrive();
    for (const path of [X, `${X}/versions/1`, 'files', `${X}/versions`]) {
      const etags = new Map<string, string>();
      for (let round = 0; round < 3; round += 1) {
        for (const folder of ['a', 'b']) {
          const { headers, text } = await drive.send({ send: `GET ${API}/folders/${folder}/${path}` });
          const etag = headers.get('etag') ?? assert.fail('no ETag');
          assert.equal(etags.get(folder) ?? etag, etag);
          etags.set(folder, etag);
          assert.match(text, new RegExp(`/folders/${folder}/`));
        }
      }
      const [a = '', b = ''] = [...etags.values()];
      assert.notEqual(a, b);
      const of = (folder: string, etag: string) => ({
        send: `GET ${API}/folders/${folder}/${path}`,
        headers: { 'If-None-Match': etag },
      });
      assert.equal((await drive.send(of('a', a))).status, 304);
      assert.equal((await drive.send(of('b', a))).status, 200);
      assert.equal((await drive.send(of('b', b))).status, 304);
    }
    const { headers } = await drive.send({ send: `GET ${API}/folders/a/${X}` });
    const stale = { 'If-Match': headers.get('etag') ?? '' };
    await drive.row({ send: `PATCH ${API}/folders/b/${X}`, headers: stale, body: { name: 'n' }, status: 412 });
  });

  it('[URL-7] [QRY-6] are filtered, searched, counted and paged below their parent', async () => {
    await using drive = await filledDrive();
    const list = async (query: string) =>
      (await read(drive, `folders/a/files?${query}`)).data.map(({ id, name }: Body) => `${id} ${name}`);
    assert.deepEqual(await list('q=first'), ['x first in a']);
    assert.deepEqual(await list('id[in]=x,y&sort=-id'), ['y second in a', 'x first in a']);
    assert.deepEqual(await list('see_ids[contains]=x'), ['y second in a']);
    assert.deepEqual(await list('original_id=x'), ['y second in a']);
    assert.deepEqual(await list('limit=1&page=2'), ['y second in a']);
    assert.equal((await read(drive, 'folders/a/files?include_total=true')).page.total_count, 2);
    const first = await read(drive, `folders/a/files?limit=1`);
    const next = await drive.send({ send: `GET ${first.links.next}` });
    assert.deepEqual(parseIds(next), ['y']);
    const cursor = { send: `GET ${API}/folders/b/files?after=${first.page.next_cursor}` };
    assert.equal((await drive.send(cursor)).status, 400);
  });

  it('[MET-10] references lead to rows below the same parent', async () => {
    await using drive = await filledDrive();
    await create(drive, 'folders/a/files', { id: 'only', name: 'only in a' });
    const body = { id: 'z', original_id: 'only', see_ids: ['x', 'only'] };
    await drive.row({ send: `POST ${API}/folders/a/files`, body, status: 201, events: ['file.created'] });
    const { body: refused } = await drive.row({ send: `POST ${API}/folders/b/files`, body, status: 400 });
    assert.deepEqual(
      refused.details.map(({ field }: Body) => field),
      ['original_id', 'see_ids[1]'],
    );
    const patch = { send: `PATCH ${API}/folders/b/files/x`, body: { original_id: 'only' } };
    await drive.row({ ...patch, status: 400 });
    await drive.row({ ...patch, body: { original_id: 'only', name: 5 }, status: 400 });
    await drive.row({ ...patch, body: { original_id: 'x' }, status: 200, events: ['file.updated'] });
  });

  it('[QRY-4] [REP-9b] [REP-9c] relations to siblings are expanded and linked below the same parent', async () => {
    await using drive = await filledDrive();
    for (const folder of ['a', 'b']) {
      const y = await read(drive, `folders/${folder}/files/y?expand=original.versions,folder`);
      assert.equal(y.original.name, `first in ${folder}`);
      assert.equal(y.original.versions.data[0].size, folder === 'a' ? 1 : 2);
      assert.equal(y.folder.id, folder);
      assert.equal(y.links.original, `${API}/folders/${folder}/files/x`);
      const x = await read(drive, `folders/${folder}/files/x?expand=copies,mentions,versions.file`);
      assert.equal(x.links.copies, `${API}/folders/${folder}/files?original_id=x`);
      const related = [...x.copies.data, ...x.mentions.data].map(({ name }: Body) => name);
      assert.deepEqual(related, [`second in ${folder}`, `second in ${folder}`]);
      assert.deepEqual(x.copies, await read(drive, `folders/${folder}/files?original_id=x&limit=20`));
      assert.equal(x.versions.data[0].file.name, `first in ${folder}`);
    }
    const both = await read(drive, 'folders?expand=files.versions,files.original');
    const sizes = both.data.flatMap(({ files }: Body) =>
      files.data.map(({ versions }: Body) => versions.data.map(({ size }: Body) => size)),
    );
    assert.deepEqual(sizes, [[1], [], [2], []]);
    const originals = both.data.map(({ files }: Body) => files.data[1].original.name);
    assert.deepEqual(originals, ['first in a', 'first in b']);
  });

  it('[REP-9b] a to-one relation to a nested row has its link, in every response', async () => {
    await using drive = await filledDrive();
    const { id } = await create(drive, `folders/b/${X}/remarks`, { text: 'r' });
    const link = `${API}/folders/b/files/x/remarks/${id}`;
    const post = await drive.send({ send: `POST ${API}/pins`, body: { id: 'p', remark_id: id } });
    assert.equal(post.body.links.remark, link);
    assert.equal((await read(drive, 'pins/p')).links.remark, link);
    assert.equal((await read(drive, 'pins')).data[0].links.remark, link);
    assert.equal((await read(drive, 'pins/p?fields=id')).links.remark, link);
    assert.equal((await read(drive, 'pins/p?expand=remark')).remark.links.self, link);
    assert.deepEqual(Object.keys(await read(drive, 'pins/p')), [
      'id',
      'remark_id',
      'created_at',
      'updated_at',
      'revision',
      'links',
    ]);
    assert.equal(
      (await drive.send({ send: `PATCH ${API}/pins/p`, body: { remark_id: null } })).body.links.remark,
      undefined,
    );
    assert.equal((await read(drive, 'pins/p')).links.remark, undefined);
    assert.equal((await drive.send({ send: `PUT ${API}/pins/p`, body: { remark_id: id } })).body.links.remark, link);
    const xml = await drive.send({ send: `GET ${API}/pins/p`, headers: { Accept: 'application/xml' } });
    assert.doesNotMatch(xml.text, /above/);
    assert.match(xml.text, new RegExp(link));
    await create(drive, 'folders/a/reactions', { id: 'q', remark_id: id });
    await create(drive, 'folders/b/reactions', { id: 'q', remark_id: id });
    assert.equal((await read(drive, 'folders/a/reactions/q')).links.remark, link);
    const headers = { 'Idempotency-Key': 'k' };
    const keyed = { send: `POST ${API}/pins`, headers, body: { id: 'p2', remark_id: id } };
    assert.equal((await drive.send(keyed)).text, (await drive.send(keyed)).text);
  });

  it('[REP-9c] [QRY-4] an inverse whose rows are below several parents is expanded and has no link', async () => {
    await using drive = await filledDrive();
    const { id } = await create(drive, `folders/b/${X}/remarks`, { text: 'r' });
    for (const folder of ['a', 'b']) await create(drive, `folders/${folder}/reactions`, { id: 'q', remark_id: id });
    const remark = await read(drive, `folders/b/${X}/remarks/${id}?expand=reactions,pins`);
    assert.deepEqual(Object.keys(remark.links), ['self', 'collection', 'up', 'pins']);
    assert.deepEqual(remark.reactions.links, {});
    assert.deepEqual(remark.reactions.page, {
      technique: 'cursor',
      limit: 20,
      count: 2,
      has_more: false,
      after: null,
      next_cursor: null,
      prev_cursor: null,
    });
    const selves = remark.reactions.data.map(({ links }: Body) => links.self);
    assert.deepEqual(selves, [`${API}/folders/a/reactions/q`, `${API}/folders/b/reactions/q`]);
    const removal = { send: `DELETE ${API}/folders/b/${X}/remarks/${id}`, status: 204 };
    await drive.row({ ...removal, events: ['reaction.deleted', 'reaction.deleted', 'remark.deleted'] });
  });

  it('[MET-4d] [MET-4e] a cascade finds rows with equal ids below several parents', async () => {
    await using drive = await filledDrive();
    for (const folder of ['a', 'b']) {
      await drive.send({ send: `PATCH ${API}/folders/${folder}/${X}`, body: { tag_id: 't' } });
      await drive.send({ send: `PATCH ${API}/folders/${folder}/${X}/versions/1`, body: { tag_id: 't' } });
    }
    const tag = await read(drive, 'tags/t?expand=files,versions');
    assert.deepEqual(
      tag.files.data.map(({ name }: Body) => name),
      ['first in a', 'first in b'],
    );
    assert.deepEqual(
      tag.versions.data.map(({ size }: Body) => size),
      [1, 2],
    );
    assert.deepEqual(
      tag.versions.data.map(({ links }: Body) => links.up),
      [`${API}/folders/a/${X}`, `${API}/folders/b/${X}`],
    );
    await drive.newEvents();
    await drive.row({ send: `DELETE ${API}/tags/t`, status: 409, has: { errorCode: 'TAG_HAS_DEPENDENTS' } });
    for (const folder of ['a', 'b']) {
      const send = `PATCH ${API}/folders/${folder}/${X}/versions/1`;
      await drive.row({ send, body: { tag_id: null }, status: 200, events: ['version.updated'] });
    }
    await drive.row({
      send: `DELETE ${API}/tags/t`,
      status: 204,
      events: ['file.updated', 'file.updated', 'tag.deleted'],
    });
    assert.equal((await read(drive, `folders/b/${X}`)).tag_id, null);
  });

  for (const atomic of [true, false]) {
    it(`[MET-13] a batch with atomic: ${atomic} addresses rows by their parents`, async () => {
      await using drive = await filledDrive();
      const operations = [
        { method: 'PUT', path: '/folders/a/files/z', body: { name: 'az' } },
        { method: 'PUT', path: '/folders/b/files/z', body: { name: 'bz', original_id: 'z' } },
        { method: 'PATCH', path: '/folders/a/files/z', body: { name: 'az2', original_id: 'z' } },
        { method: 'POST', path: '/folders/a/files/z/versions', body: { id: '1', size: 7 } },
        { method: 'POST', path: '/folders/b/files/z/versions', body: { id: '1', size: 8 } },
        { method: 'PATCH', path: '/folders/b/files/z/versions/1', body: { size: 9 } },
        { method: 'DELETE', path: '/folders/a/files/x' },
      ];
      const { status, body, text } = await drive.send({ send: `POST ${API}/batches`, body: { atomic, operations } });
      assert.equal(status, 201, text);
      assert.deepEqual(
        body.results.map((each: Body) => each.status),
        [201, 201, 200, 201, 201, 200, 204],
        text,
      );
      assert.equal(body.results[2].body.links.original, `${API}/folders/a/files/z`);
      assert.equal((await read(drive, 'folders/a/files/z')).name, 'az2');
      assert.equal((await read(drive, 'folders/b/files/z')).name, 'bz');
      assert.equal((await read(drive, 'folders/a/files/z/versions/1')).size, 7);
      assert.equal((await read(drive, 'folders/b/files/z/versions/1')).size, 9);
      assert.equal((await drive.send({ send: `GET ${API}/folders/a/${X}` })).status, 404);
      assert.equal((await read(drive, `folders/b/${X}/versions/1`)).size, 2);
    });
  }

  it('[MET-13] an atomic batch reads a nested row that it has created, for its link', async () => {
    await using drive = await filledDrive();
    const ndjson = await drive.api.importRows('remarks', []);
    assert.equal(ndjson.kind, 'stored');
    const { id } = await create(drive, `folders/a/${X}/remarks`, { text: 'r' });
    const operations = [
      { method: 'POST', path: '/pins', body: { id: 'p', remark_id: id } },
      { method: 'PATCH', path: '/pins/p', body: { remark_id: id } },
      { method: 'DELETE', path: '/folders/a' },
      { method: 'PATCH', path: '/pins/p', body: {} },
    ];
    const { body, text } = await drive.send({ send: `POST ${API}/batches`, body: { atomic: true, operations } });
    const link = `${API}/folders/a/${X}/remarks/${id}`;
    assert.deepEqual(
      body.results.map((each: Body) => each.body?.links?.remark),
      [link, link, undefined, undefined],
      text,
    );
    assert.equal(body.results[3].body.remark_id, null);
  });

  it('[NEG-5] NDJSON creates equal ids below both parents', async () => {
    await using drive = await filledDrive();
    for (const folder of ['a', 'b']) {
      const lines = ['{"id":"n1"}', '{"id":"x"}', '{"id":"n2","original_id":"n1"}'].join('\n');
      const headers = { 'Content-Type': 'application/x-ndjson' };
      const { status, text } = await drive.send({
        send: `POST ${API}/folders/${folder}/files`,
        headers,
        body: `${lines}\n`,
      });
      assert.equal(status, 200, text);
      const statuses = text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).status);
      assert.deepEqual(statuses, [201, 409, 201], text);
    }
  });

  it('[MET-12] an idempotency key belongs to its path', async () => {
    await using drive = await filledDrive();
    const post = (folder: string) => ({
      send: `POST ${API}/folders/${folder}/files`,
      headers: { 'Idempotency-Key': 'one' },
      body: { id: 'k' },
    });
    const first = await drive.send(post('a'));
    const replay = await drive.send(post('a'));
    assert.deepEqual([first.status, replay.status, replay.text], [201, 201, first.text]);
    const other = await drive.send(post('b'));
    assert.notEqual(other.text, first.text);
  });

  it('[URL-7] an export is imported again: rows with equal ids below their own parents', async () => {
    await using drive = await filledDrive();
    await using copy = await apiUnderTest(DRIVE);
    const exported: Record<string, JsonObject[]> = {};
    for (const name of ['tags', 'folders', 'files', 'versions']) {
      const { pages, total } = await drive.api.exportRows(name);
      const rows: JsonObject[] = [];
      for await (const page of pages) rows.push(...page);
      assert.equal(rows.length, total);
      exported[name] = rows;
      const outcome = await copy.api.importRows(name, rows);
      assert.deepEqual(outcome, { kind: 'stored', count: rows.length });
    }
    assert.deepEqual(
      exported['versions']?.map(({ file }) => file),
      [{ folder_id: 'a' }, { folder_id: 'b' }],
    );
    assert.equal((await read(copy, `folders/b/${X}/versions/1`)).size, 2);
    assert.deepEqual(await roundTripCsv(drive, 'versions', exported['versions'] ?? []), exported['versions']);
    const withoutFolder = (id: string, file: string) => [{ id, file_id: file, size: 3 }];
    assert.deepEqual(await copy.api.importRows('versions', withoutFolder('7', 'x')), {
      kind: 'refused',
      errors: [
        {
          row: 0,
          code: 'VERSION_INVALID',
          message: 'The version has a validation error; see details.',
          details: [{ field: 'file.folder_id', message: 'is required: several files have the id "x"' }],
        },
      ],
    });
    await create(copy, 'folders/a/files', { id: 'alone' });
    assert.equal((await copy.api.importRows('versions', withoutFolder('7', 'alone'))).kind, 'stored');
    assert.equal((await read(copy, 'folders/a/files/alone/versions/7')).size, 3);
    const missing = await copy.api.importRows('versions', withoutFolder('7', 'none'));
    assert.equal(missing.kind === 'refused' && missing.errors[0]?.code, 'FILE_NOT_FOUND');
    const wrong = await copy.api.importRows('versions', [{ id: '7', file_id: 'x', file: { folder_id: 5, no: 1 } }]);
    assert.deepEqual(wrong.kind === 'refused' && wrong.errors[0]?.details.map(({ field }) => field), [
      'file.no',
      'file.folder_id',
    ]);
  });

  it('[URL-7] [REP-2] the ids above a parent in a file are UUIDs in any case where the server made them', async () => {
    await using api = await apiUnderTest(`
name: drive
resources:
  folders: { schema: { type: object, properties: {} } }
  files: { id: client, parent: folders, schema: { type: object, properties: {} } }
  versions: { id: client, parent: files, schema: { type: object, properties: {} } }
`);
    const folder: string = (await api.send({ send: 'POST /api/v1/folders', body: {} })).body['id'];
    const other: string = (await api.send({ send: 'POST /api/v1/folders', body: {} })).body['id'];
    for (const id of [folder, other]) await create(api, `folders/${id}/files`, { id: 'x' });
    const rows = [{ id: '1', file_id: 'x', file: { folder_id: folder.toUpperCase() } }];
    assert.deepEqual(await api.api.importRows('versions', rows), { kind: 'stored', count: 1 });
    assert.equal((await read(api, `folders/${folder}/files/x/versions/1`)).id, '1');
  });
});
