import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import { after, before, describe, it } from 'node:test';
import { createListener } from '../../../src/http/listener.ts';
import { type ApiUnderTest, apiUnderTest, type Seen } from '../../pipeline/support/api-under-test.ts';
import { callerTokens } from '../../pipeline/support/caller-tokens.ts';
import { type RowedNotes, rowedNotes } from '../../stores/existing/rowed-notes.ts';
import { listIds } from './pages.ts';

type Headers = Readonly<Record<string, string>>;
type Note = { readonly id: string; readonly owner: string; readonly shared: boolean };

/** A caller of the tests, with the notes that the policies let it read. */
interface TestCaller {
  readonly subject: string | null;
  readonly headers: Headers;
  readonly sees: (note: Pick<Note, 'owner' | 'shared'>) => boolean;
}

const IDS = Array.from({ length: 60 }, (_, at) => at + 1);

/** The note of an id, as the database was filled. */
function noteAt(id: number): Pick<Note, 'owner' | 'shared'> {
  return { owner: id % 2 === 0 ? 'ann' : 'bob', shared: id % 10 === 0 };
}

/** Lists all objects of a body with an owner, wherever they are. */
function listNotes(body: unknown): readonly Note[] {
  const found: Note[] = [];
  JSON.stringify(body, (_name, value) => {
    if (typeof value?.owner === 'string') found.push(value);
    return value;
  });
  return found;
}

/** Makes the same sequence of numbers in each run. */
function sequence(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

describe('rows that PostgreSQL shows to the role and the claims of a caller', () => {
  let source: RowedNotes;
  let api: ApiUnderTest;
  let callers: readonly TestCaller[];
  let ann: Headers = {};
  let bob: Headers = {};
  const open = async (model: string, readOnly = true): Promise<ApiUnderTest> =>
    apiUnderTest(model, { database: source.readerUrl, tokens: callerTokens(), readOnly });
  before(async () => {
    source = await rowedNotes();
    [ann, bob] = [source.caller('ann'), source.caller('bob')];
    callers = [
      { subject: 'ann', headers: ann, sees: ({ owner, shared }) => owner === 'ann' || shared },
      { subject: 'bob', headers: bob, sees: ({ owner, shared }) => owner === 'bob' || shared },
      { subject: null, headers: {}, sees: ({ shared }) => shared },
    ];
    api = await open(source.model);
  });
  after(async () => {
    await api.close();
    await source.close();
  });

  /** The requests of a caller for all ways to a note, and what is wrong with a response; null for nothing. */
  const ways = (
    { subject, headers, sees }: TestCaller,
    id: number,
  ): readonly (readonly [target: string, headers: Headers, check: (seen: Seen) => unknown])[] => {
    const visible = IDS.filter((each) => sees(noteAt(each)));
    const all = ({ status, body }: Seen, expected: number): unknown =>
      status === 200 && listNotes(body).length === expected && listNotes(body).every(sees);
    const isShown = sees(noteAt(id));
    return [
      [`notes/${id}`, headers, (seen) => (isShown ? all(seen, 1) : seen.status === 404)],
      [
        'notes?include_total=true&limit=7&sort=-title',
        headers,
        (seen) => all(seen, Math.min(7, visible.length)) && seen.body.page.total_count === visible.length,
      ],
      ['notes?limit=100&q=note', headers, (seen) => all(seen, visible.length)],
      ['notes?limit=100&team.name=Blue', headers, (seen) => all(seen, visible.length)],
      [`notes?id[in]=${id},10`, headers, (seen) => all(seen, (isShown ? 1 : 0) + (id === 10 ? 0 : 1))],
      ['notes?any[1][owner]=ann&any[2][owner]=bob&limit=100', headers, (seen) => all(seen, visible.length)],
      ['teams/1?expand=notes', headers, (seen) => all(seen, Math.min(20, visible.length))],
      [
        'remarks?limit=100&expand=note',
        headers,
        ({ status, body }) =>
          subject === null
            ? status === 401
            : body.data.length === 20 &&
              body.data.every((each: { body: string }) => each.body === `remark of ${subject}`),
      ],
      [
        'identities/1',
        headers,
        ({ body }) =>
          body.role === source.role(subject === null ? 'anon' : 'web') &&
          JSON.parse(body.claims).sub === (subject ?? undefined),
      ],
      // A statement that fails leaves its session as it was.
      ['shares', headers, ({ status }) => status === (subject === null ? 401 : subject === 'ann' ? 500 : 200)],
    ];
  };

  it('[AUTH-13a] are in every response those of its own caller, in any mixture of requests', async () => {
    const random = sequence(7);
    for (let round = 0; round < 20; round += 1) {
      const sent = Array.from({ length: 16 }, async () => {
        const caller = callers[random(callers.length)];
        assert.ok(caller !== undefined);
        const all = ways(caller, 1 + random(60));
        const [target, headers, check] = all[random(all.length)] ?? [];
        assert.ok(target !== undefined && check !== undefined);
        const seen = await api.send({ send: `GET /api/v1/${target}`, ...(headers === undefined ? {} : { headers }) });
        assert.ok(check(seen), `${target} of ${caller.subject}: ${seen.status} ${seen.text}`);
      });
      await Promise.all(sent);
    }
  });

  it('[AUTH-13a] are those of each request of one connection', async () => {
    const server = http.createServer(createListener(api.api)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    assert.ok(typeof address === 'object' && address !== null);
    const socket = net.connect(address.port, '127.0.0.1');
    const order = Array.from({ length: 24 }, (_, at) => callers[at % callers.length]);
    const last = 'Connection: close\r\n';
    socket.write(
      order
        .map((caller, at) => {
          const authorization = Object.entries(caller?.headers ?? {}).map(([name, value]) => `${name}: ${value}\r\n`);
          const end = at === order.length - 1 ? last : '';
          return `GET /api/v1/identities/1 HTTP/1.1\r\nHost: localhost\r\n${authorization.join('')}${end}\r\n`;
        })
        .join(''),
    );
    let text = '';
    for await (const chunk of socket.setEncoding('utf8')) text += String(chunk);
    server.close();
    const seen = [...text.matchAll(/\\"sub\\":\\"(\w+)\\"|\\"role\\":\\"\w+_(anon)\\"/g)].map(
      ([, sub, role]) => sub ?? role,
    );
    assert.deepEqual(
      seen.filter((name) => name !== undefined),
      order.map((caller) => caller?.subject ?? 'anon'),
    );
  });

  it('[CACHE-2] are not modified for those alone who see them', async () => {
    const own = await api.send({ send: 'GET /api/v1/notes/2', headers: ann });
    const tag = own.headers.get('etag') ?? '';
    assert.match(own.headers.get('cache-control') ?? '', /private/);
    assert.match(own.headers.get('vary') ?? '', /Authorization/);
    const conditional = { 'If-None-Match': tag };
    await api.row({ send: 'GET /api/v1/notes/2', headers: { ...ann, ...conditional }, status: 304 });
    await api.row({ send: 'GET /api/v1/notes/2', headers: { ...bob, ...conditional }, status: 404 });
    await api.row({ send: 'GET /api/v1/notes/2', headers: { ...ann, 'If-None-Match': '*' }, status: 304 });
    await api.row({ send: 'GET /api/v1/notes/2', headers: { ...bob, 'If-None-Match': '*' }, status: 404 });
    const page = await api.send({ send: 'GET /api/v1/notes', headers: ann });
    const other = { ...bob, 'If-None-Match': page.headers.get('etag') ?? '' };
    assert.equal((await api.send({ send: 'GET /api/v1/notes', headers: other })).status, 200);
  });

  it('[PAGE-3] follow a cursor of another caller to no row of that one', async () => {
    const { body } = await api.send({ send: 'GET /api/v1/notes?limit=5&sort=-title', headers: ann });
    const next: string = body.links.next;
    const { status, body: read } = await api.send({ send: `GET ${next}`, headers: bob });
    assert.equal(status, 200);
    assert.ok(listNotes(read).length > 0);
    assert.ok(listNotes(read).every(({ owner, shared }) => owner === 'bob' || shared));
  });

  it('[AUTH-13a] are those of a token that exports them', async () => {
    const token = (bob['Authorization'] ?? '').replace('Bearer ', '');
    const { pages, total } = await api.api.exportRows('notes', { as: token });
    const owners: unknown[] = [];
    for await (const rows of pages) owners.push(...rows.map(({ owner }) => owner));
    assert.deepEqual([total, owners.length, new Set(owners).size], [36, 36, 2]);
  });

  it('[AUTH-13b] get the claims as they are in the token', async () => {
    const subjects = [`o'brien`, 'a"b', 'back\\slash', `'; reset role; --`, 'zoë 😀 "\'\\', '$1', 'é'.repeat(2_000)];
    const sent = subjects.map(async (text) => {
      const claims = { sub: text, nested: { list: [text, null, 1.5, true] }, [text.slice(0, 40)]: 'name' };
      const { body, text: seen } = await api.send({
        send: 'GET /api/v1/identities/1',
        headers: source.caller('x', claims),
      });
      assert.equal(typeof body.claims, 'string', seen);
      assert.deepEqual(JSON.parse(body.claims), { ...claims, role: source.role('web') });
    });
    await Promise.all(sent);
  });

  it('[AUTH-13c] are none for a role that the model does not list, or that lacks a right', async () => {
    const login = new URL(source.readerUrl).username;
    const others = [
      'postgres',
      'root',
      login,
      source.role('anon'),
      source.role('stranger'),
      'none',
      '',
      null,
      1,
      ['web'],
    ];
    for (const role of others) {
      const { status, body, text } = await api.send({
        send: 'GET /api/v1/notes',
        headers: source.caller('ann', { role }),
      });
      assert.deepEqual([status, body.errorCode], [403, 'AUTH_ROLE_FORBIDDEN'], `${JSON.stringify(role)}: ${text}`);
      assert.doesNotMatch(text, /postgres|permission|select|denied/i);
    }
    await source.change('revoke select on strict from READER_web');
    for (const target of ['stricts', 'stricts/1', 'stricts?include_total=true&sort=-id']) {
      const { body } = await api.row({ send: `GET /api/v1/${target}`, headers: ann, status: 403 });
      assert.equal(body.errorCode, 'AUTH_ROLE_FORBIDDEN');
    }
    await source.change('grant select on strict to READER_web');
    const anonymous = await api.row({ send: 'GET /api/v1/remarks', status: 401, has: { errorCode: 'AUTH_REQUIRED' } });
    assert.match(anonymous.headers.get('www-authenticate') ?? '', /^Bearer realm="notes", resource_metadata=/);
    assert.deepEqual(
      api.observations.filter(({ kind }) => kind === 'store-unavailable'),
      [],
    );
  });

  it('[AUTH-13c] need a token in a model without a role for anonymous callers', async () => {
    await using strict = await open(source.model.replace(/, anonymous: \w+/, ''));
    await strict.row({ send: 'GET /api/v1/notes', status: 401, has: { errorCode: 'AUTH_REQUIRED' } });
    assert.equal((await listIds(strict, 'notes?limit=100', ann)).length, 30);
  });

  it('[AUTH-13d] are not served with roles that are missing, or that the server may not become', async () => {
    const roles = `roles: [${source.role('web')}, ${source.role('stranger')}, nobody]`;
    const login = new URL(source.readerUrl).username;
    await assert.rejects(open(source.model.replace(/roles: \[\w+\]/, roles)), ({ message }: Error) => {
      assert.deepEqual(message.replace(/^.*used\. /, '').split('\n'), [
        `auth.database_role: the server may not become the role ${source.role('stranger')}: grant "${source.role('stranger')}" to "${login}";`,
        'auth.database_role: the server may not become the role nobody: create role "nobody" nologin;',
      ]);
      return true;
    });
  });

  it('[AUTH-13d] are not served from a SQLite file, which has no roles', async () => {
    await assert.rejects(apiUnderTest(source.model), /has no roles: auth\.database_role needs PostgreSQL/);
  });

  it('[AUTH-13d] need tables that one of the roles may read', async () => {
    await source.change('revoke all on team from READER_web, READER_anon');
    await assert.rejects(open(source.model), /may not read team: grant select on "public"\."team" to/);
    await source.change('grant select on team to READER_web, READER_anon');
  });
});
