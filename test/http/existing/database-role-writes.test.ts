import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { loadModel } from '../../../src/model/compile/load-model.ts';
import { adoptTables } from '../../../src/stores/postgres/triggers/adopt-tables.ts';
import { type ApiUnderTest, apiUnderTest } from '../../pipeline/support/api-under-test.ts';
import { callerTokens } from '../../pipeline/support/caller-tokens.ts';
import { type RowedNotes, rowedNotes } from '../../stores/existing/rowed-notes.ts';

type Headers = Readonly<Record<string, string>>;

describe('writes that PostgreSQL judges by the role and the claims of a caller', () => {
  let source: RowedNotes;
  let api: ApiUnderTest;
  let ann: Headers = {};
  let bob: Headers = {};
  before(async () => {
    source = await rowedNotes();
    [ann, bob] = [source.caller('ann'), source.caller('bob')];
    await source.change(`
      create function check_title() returns trigger language plpgsql as $$ begin
        if new.title = 'late' then raise exception 'no' using errcode = '23514'; end if;
        if new.title = 'odd' then raise exception 'no' using errcode = '22023'; end if;
        if new.title = 'who' then new.title = current_user; end if;
        return new;
      end $$;
      create function check_late() returns trigger language plpgsql as $$ begin
        if new.title = 'deferred' and current_user = '${source.role('web')}' then raise exception 'no' using errcode = '23514'; end if;
        return new;
      end $$;
      create trigger checked before insert or update on note for each row execute function check_title();
      create constraint trigger checked_late after insert on note deferrable initially deferred for each row execute function check_late()`);
    api = await apiUnderTest(source.model, { database: source.readerUrl, tokens: callerTokens() });
  });
  after(async () => {
    await api.close();
    await source.close();
  });

  const owners = (title: string): Promise<readonly unknown[]> =>
    source.list('select owner from note where title = $1 order by owner', [title]);

  it('[AUTH-13a] create rows with the defaults of its claims', async () => {
    const events = ['note.created'];
    const post = { send: 'POST /api/v1/notes', body: { title: 'new' }, status: 201, events };
    await api.row({ ...post, headers: ann, has: { owner: 'ann' } });
    await api.row({ ...post, headers: bob, has: { owner: 'bob' } });
    assert.deepEqual(await owners('new'), ['ann', 'bob']);
    await api.row({ ...post, headers: ann, body: { title: 'who' }, has: { title: source.role('web') } });
  });

  it('[AUTH-13a] are 404 for a row that is not shown, and 403 for one that may only be read', async () => {
    const stored = await source.list('select note::text from note where id in (1, 50) order by id');
    for (const [method, absent] of [
      ['PATCH', 404],
      ['DELETE', 404],
      ['PUT', 409],
    ] as const) {
      const body = method === 'DELETE' ? {} : { body: { title: 'mine' } };
      await api.row({ send: `${method} /api/v1/notes/1`, headers: ann, ...body, status: absent });
      const refused = await api.row({ send: `${method} /api/v1/notes/50`, headers: bob, ...body, status: 403 });
      assert.equal(refused.body.errorCode, 'NOTE_FORBIDDEN');
    }
    assert.deepEqual(await source.list('select note::text from note where id in (1, 50) order by id'), stored);
    await api.row({
      send: 'PATCH /api/v1/notes/1',
      headers: bob,
      body: { title: 'changed' },
      status: 200,
      events: ['note.updated'],
    });
    await api.row({ send: 'DELETE /api/v1/notes/59', headers: bob, status: 204, events: ['note.deleted'] });
  });

  it('[AUTH-13a] are 403 for a row that a policy does not allow, and 401 without a token', async () => {
    const post = { send: 'POST /api/v1/notes', body: { title: 'stolen', owner: 'bob' } };
    const { body } = await api.row({ ...post, headers: ann, status: 403 });
    assert.equal(body.errorCode, 'NOTE_FORBIDDEN');
    assert.doesNotMatch(JSON.stringify(body), /security|violates/);
    const give = { send: 'PATCH /api/v1/notes/2', body: { owner: 'bob' }, headers: ann, status: 403 };
    await api.row(give);
    await api.row({ ...post, status: 401, has: { errorCode: 'AUTH_REQUIRED' } });
    const listed = source.caller('ann', { role: source.role('stranger') });
    await api.row({ ...post, headers: listed, status: 403, has: { errorCode: 'AUTH_ROLE_FORBIDDEN' } });
    assert.deepEqual(await owners('stolen'), []);
    await api.row({ send: 'GET /readyz', status: 200 });
  });

  it('[AUTH-13a] are no matter of the role where a function fails with the code of one that is missing', async () => {
    const { status, body } = await api.send({ send: 'POST /api/v1/notes', headers: ann, body: { title: 'odd' } });
    assert.notEqual(body.errorCode, 'AUTH_ROLE_FORBIDDEN');
    assert.equal(status, 400);
  });

  it('[AUTH-13a] give no role to the next caller, whatever has failed before', async () => {
    const titles = ['late', 'deferred', 'fine', 'fine', 'late', 'fine', 'deferred', 'fine'];
    for (let round = 0; round < 3; round += 1) {
      const sent = titles.map(async (title, at) => {
        const [headers, subject] = (at + round) % 2 === 0 ? [ann, 'ann'] : [bob, 'bob'];
        const { status, body, text } = await api.send({ send: 'POST /api/v1/notes', headers, body: { title } });
        assert.equal(status, title === 'fine' ? 201 : 400, text);
        if (status === 201) assert.equal(body.owner, subject);
        else assert.doesNotMatch(text, /_web|_reader/);
      });
      await Promise.all(sent);
    }
    assert.equal((await owners('fine')).length, 12);
    assert.deepEqual(await owners('deferred'), []);
    await api.newEvents();
  });

  it('[MET-13] judge each operation of a batch', async () => {
    const create = (body: object): object => ({ method: 'POST', path: '/notes', body });
    const operations = [
      create({ title: 'in batch' }),
      create({ title: 'stolen', owner: 'bob' }),
      { method: 'PATCH', path: '/notes/1', body: { title: 'mine' } },
      { method: 'DELETE', path: '/notes/42' },
    ];
    const { body } = await api.send({
      send: 'POST /api/v1/batches',
      headers: ann,
      body: { atomic: false, operations },
    });
    assert.deepEqual(
      body.results.map(({ status }: { status: number }) => status),
      [201, 403, 404, 204],
    );
    await api.row({
      send: 'POST /api/v1/batches',
      headers: ann,
      body: { operations: operations.slice(0, 2) },
      status: 403,
      events: ['note.created', 'note.deleted'],
    });
    assert.deepEqual(await owners('in batch'), ['ann']);
  });

  it('[MET-12] are repeated for their own caller alone', async () => {
    const key = { 'Idempotency-Key': 'k1' };
    const post = { send: 'POST /api/v1/notes', body: { title: 'once' }, status: 201 };
    const events = ['note.created'];
    const first = await api.row({ ...post, headers: { ...ann, ...key }, events });
    const again = await api.row({ ...post, headers: { ...ann, ...key } });
    assert.equal(again.text, first.text);
    await api.row({ ...post, headers: { ...bob, ...key }, has: { owner: 'bob' }, events });
    assert.deepEqual(await owners('once'), ['ann', 'bob']);
  });

  it('[MET-14] are judged in a dry run', async () => {
    const post = { send: 'POST /api/v1/notes?dry_run=true' };
    await api.row({ ...post, headers: ann, body: { title: 'dry', owner: 'bob' }, status: 403 });
    await api.row({ ...post, headers: ann, body: { title: 'dry' }, status: 200, has: { owner: 'ann' } });
    assert.deepEqual(await owners('dry'), []);
  });

  it('[MET-10] name no value that only others may see', async () => {
    await source.change(`update note set rank = 7 where id = 1`);
    const { body } = await api.send({ send: 'POST /api/v1/notes', headers: ann, body: { title: 'x', rank: 7 } });
    assert.equal(body.errorCode, 'NOTE_ALREADY_EXISTS');
    assert.deepEqual(body.details, []);
    const refers = { title: 'x', team_id: '99' };
    await api.row({ send: 'POST /api/v1/notes', headers: ann, body: refers, status: 400 });
  });

  it('[AUTH-13e] have events for callers with events:admin alone', async () => {
    const list = async (scopes: readonly string[]): Promise<number> => {
      const { body, status, text } = await api.send({
        send: 'GET /api/v1/events',
        headers: source.caller('ann', {}, scopes),
      });
      assert.equal(status, 200, text);
      return body.data.length;
    };
    assert.equal(await list(['events:read']), 0);
    assert.ok((await list(['events:read', 'events:admin'])) > 5);
  });

  it('[AUTH-13a] have the rules of the model, too, also those that read what a row refers to', async () => {
    const model = source.model.replace(
      'access: { read: public, create: public, update: authenticated, delete: authenticated }',
      'access: { read: public, write: authenticated, rows: { read: { team.name: Blue } } }',
    );
    await using ruled = await apiUnderTest(model, { database: source.readerUrl, tokens: callerTokens() });
    await ruled.newEvents();
    const body = { title: 'ruled', team_id: '1' };
    const events = ['note.created'];
    const made = await ruled.row({ send: 'POST /api/v1/notes', headers: ann, body, status: 201, events });
    await ruled.row({ send: `GET /api/v1/notes/${made.body.id}`, headers: ann, status: 200 });
    await ruled.row({ send: `GET /api/v1/notes/${made.body.id}`, headers: bob, status: 404 });
  });

  it('[AUTH-13a] are recorded once where triggers record the writes of others', async () => {
    const text = source.model.replace('search: [title]', 'search: [title]\n    changes: triggers');
    const { model } = loadModel({ text });
    const role = new URL(source.readerUrl).username;
    await adoptTables({ url: source.url, model, remove: false, role, apply: true });
    await using recorded = await apiUnderTest(text, { database: source.readerUrl, tokens: callerTokens() });
    await recorded.newEvents();
    await recorded.row({
      send: 'PATCH /api/v1/notes/3',
      headers: bob,
      body: { title: 'recorded' },
      status: 200,
      events: ['note.updated'],
    });
    assert.deepEqual(await source.list('select count(*)::int from restwright.restwright_foreign_changes'), [0]);
    await recorded.row({ send: 'PATCH /api/v1/notes/3', headers: ann, body: { title: 'no' }, status: 404 });
    await adoptTables({ url: source.url, model, remove: true, role: null, apply: true });
  });
});
