import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadModel } from '../../../src/model/compile/load-model.ts';
import { ModelError } from '../../../src/model/document/model-error.ts';
import type { ApiUnderTest, ExchangeRow } from '../support/api-under-test.ts';
import { as } from '../support/caller-tokens.ts';
import { ADMIN, ANN, BETWEEN, comparable, EVE, MERGE, SECRET, tenantsApi } from '../support/leak-twins.ts';

/** A request of the row's caller, or of another one. */
interface Step extends Pick<ExchangeRow, 'send' | 'body' | 'headers'> {
  readonly status?: number;
  /** The status for an administrator, where it is not the same. */
  readonly admin?: number;
  /**
   * Another caller, whose responses are not judged; `hidden` where what it writes is hidden from Ann: then the second
   * API does without.
   */
  readonly by?: 'admin' | 'hidden';
}

/** A leak that another tool for APIs has had, or still has, as requests that would show it here. */
interface Leak {
  /** The claim that holds here. */
  readonly title: string;
  /** The description of the leak in the other tool. */
  readonly link: string;
  readonly steps: readonly Step[];
  /** Text that no response may contain, besides the secret. */
  readonly never?: RegExp;
  /** True if the steps delete hidden rows by a cascade. */
  readonly cascades?: true;
  /** True if hidden rows change a response, as the contract allows, without showing in it. */
  readonly differs?: true;
}

const get = (...paths: readonly string[]): readonly Step[] =>
  paths.map((path) => ({ send: `GET /api/v1/${path}`, status: 200 }));
/** Requests that name a field which only an administrator may read. */
const hidden = (...paths: readonly string[]): readonly Step[] =>
  unknown(...paths).map((step) => ({ ...step, admin: 200 }));
/** Requests that name what does not exist, for nobody. */
const unknown = (...paths: readonly string[]): readonly Step[] =>
  paths.map((path) => ({ send: `GET /api/v1/${path}`, status: 400 }));

const READS: readonly Leak[] = [
  {
    title: '[AUTH-5a] [PAGE-9b] a total counts no hidden row',
    link: 'https://github.com/hasura/graphql-engine/issues/7603',
    steps: [
      ...get('articles?include_total=true', 'articles?page=1&limit=3', 'articles?offset=1', 'users?page=1'),
      ...get('articles/a1/comments?page=1', 'articles?title[contains]=Bolt&include_total=true'),
      { send: 'HEAD /api/v1/articles?page=1', status: 200 },
      { send: 'GET /api/v1/articles?page=1', headers: { Accept: 'text/csv' }, status: 200 },
    ],
  },
  {
    title: '[AUTH-5a] [PAGE-9c] a total of a filtered page counts no hidden row, in QUERY neither',
    link: 'https://github.com/hasura/graphql-engine/issues/7773',
    steps: ['author_id=u1&page=1', 'q=bolt&include_total=true', 'author.name=Amy&page=1&limit=1'].map((body) => ({
      send: 'QUERY /api/v1/articles',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body,
      status: 200,
    })),
  },
  {
    title: '[QRY-5] there is no count, group or aggregate beside the total',
    link: 'https://github.com/bloomberg/comdb2/pull/1773',
    steps: unknown('articles?count=true', 'articles?group_by=tenant', 'articles?aggregate[max]=title'),
  },
  {
    title: '[REP-11a] [QRY-2] no filter or sort reads a password hash, prefix by prefix',
    link: 'https://github.com/strapi/strapi/issues/11869',
    steps: unknown(
      'users?password_hash[starts_with]=veil',
      'users?password_hash[contains]=$',
      'users?password_hash[exists]=true',
      'users?sort=-password_hash',
      'users?fields=name,password_hash',
      'users?any[1][password_hash][starts_with]=veil&any[2][name]=Amy',
    ),
  },
  {
    title: '[REP-11b] no filter reads a field that the caller may not read',
    link: 'https://github.com/directus/v8-archive/issues/717',
    steps: hidden('users?email[starts_with]=veil', 'users?email[gte]=v', 'users?email[ne]=x', 'articles?margin=none'),
  },
  {
    title: '[REP-11b] [QRY-3] no sort tells the order of a field that the caller may not read',
    link: 'https://github.com/platformatic/platformatic/issues/5119',
    steps: hidden('users?sort=email', 'users?sort=name,-email', 'articles?sort=margin&limit=1'),
  },
  {
    title: '[REP-11b] [QRY-1] no path within an object reads a field that the caller may not read',
    link: 'https://github.com/parse-community/parse-server/pull/10168',
    steps: hidden('users?contact.phone[starts_with]=veil', 'users?sort=contact.phone', 'users?fields=contact.phone'),
  },
  {
    title: '[REP-11b] [QRY-1] no alternative reads a field that the caller may not read',
    link: 'https://github.com/parse-community/parse-server/pull/10139',
    steps: hidden(
      'users?any[1][email][starts_with]=veil&any[2][name]=Amy',
      'users?any[1][email]=x&any[1][name]=Amy',
      'articles?any[1][author.email][starts_with]=veil&any[2][title]=Cog',
    ),
  },
  {
    title: '[REP-11b] [QRY-1] no filter through a relation reads a field of the row behind it',
    link: 'https://github.com/activerecord-hackery/ransack/issues/1405',
    steps: [
      ...unknown('articles?author.password_hash[starts_with]=veil'),
      ...hidden(
        'articles?author.email[contains]=veil',
        'users?reports.email[starts_with]=veil',
        'users?articles.margin[starts_with]=veil',
        'users?boss.contact.phone=1',
      ),
    ],
  },
  {
    title: '[AUTH-5a] [QRY-1] no filter over a relation finds a visible row by a hidden one',
    link: 'https://github.com/philipn/django-rest-framework-filters/issues/100',
    steps: get(
      'users?articles.title[contains]=veil',
      'users?articles.id=h1',
      'users?articles.id[exists]=true&page=1',
      'users?reports.name[starts_with]=veil',
      'users?reports.id=u8',
      'users?any[1][articles.tenant]=byte&any[2][name]=Nobody',
    ),
  },
  {
    title: '[AUTH-5a] [QRY-1] the fields of a hidden row behind a reference are unset in filters',
    link: 'https://github.com/prisma/prisma1/issues/711',
    steps: get(
      'articles?author.name[starts_with]=veil',
      'articles?author.name[ne]=Amy',
      'articles?author.name[exists]=true',
      'articles?author.tenant=byte',
      'articles?any[1][author.tenant]=byte&any[2][author.name]=Amy&page=1',
    ),
  },
  {
    title: '[QRY-6] [AUTH-5a] a search finds no row by a field that the caller may not read, and no hidden row',
    link: 'https://github.com/directus/directus/issues/23894',
    steps: get('users?q=veil', 'users?q=example', 'articles?q=veil&page=1', 'articles?q=bolt', 'users?q=zoe'),
  },
  {
    title: '[REP-11b] a response has no field that the caller may not read, embedded rows included',
    link: 'https://github.com/VirtusLab-Open-Source/strapi-plugin-navigation/pull/125',
    steps: get('articles?expand=author', 'users/u1?expand=reports,articles', 'users/u2?expand=boss.articles.author'),
  },
  {
    title: '[AUTH-5a] [QRY-4] a hidden row is not embedded, counted or linked to',
    link: 'https://github.com/objectstack-ai/objectstack/issues/7626',
    steps: [
      ...get('articles?expand=author', 'articles/a2?expand=author.articles', 'users?expand=articles,reports'),
      ...get('articles/a1?expand=comments', 'articles/a1/comments', 'users/u1?expand=articles.comments'),
    ],
  },
  {
    title: '[AUTH-5a] [NEG-1] no format has more than JSON: pages that leave as a file',
    link: 'https://github.com/Budibase/budibase/issues/6175',
    steps: ['text/csv', 'application/x-ndjson', 'application/xml', 'text/plain'].flatMap((type) =>
      get('articles', 'users', 'articles/a1/comments', 'articles?expand=author,comments').map((step) => ({
        send: step.send,
        headers: { Accept: type },
      })),
    ),
  },
  {
    title: '[QRY-5] [REP-5] no name in a message is one that the caller may not read',
    link: 'https://github.com/PostgREST/postgrest/issues/4675',
    steps: [
      ...unknown('users?emial=1', 'users?fields=emial', 'users?sort=emial', 'articles?author.emial=1'),
      ...unknown('articles?sort=margn', 'users?fields=contct', 'users?password_hsh=1', 'users?sort=nothing'),
      { send: 'PATCH /api/v1/users/u1', headers: MERGE, body: { emial: 'x', contct: {} }, status: 400 },
    ],
    never: /email|contact|margin|password_hash/,
  },
  {
    title: '[CACHE-1] [AUTH-5a] no page of an administrator is served to others, nor the reverse',
    link: 'https://github.com/encode/django-rest-framework/issues/4515',
    steps: [
      { send: 'GET /api/v1/users/u1', by: 'admin' },
      { send: 'GET /api/v1/users?page=1', by: 'admin' },
      { send: 'GET /api/v1/articles?expand=author', by: 'admin' },
      { send: 'GET /api/v1/users/u9', by: 'admin' },
      ...get('users/u1', 'users?page=1', 'articles?expand=author'),
      { send: 'GET /api/v1/users/u9', status: 404 },
      { send: 'HEAD /api/v1/users/u9', status: 404 },
      { send: 'GET /api/v1/users/u9', headers: { 'If-None-Match': '*' }, status: 404 },
    ],
  },
];

const forEachMethod = (target: string, status: number): readonly Step[] => [
  ...['GET', 'HEAD', 'DELETE'].map((method) => ({ send: `${method} ${target}`, status })),
  { send: `PATCH ${target}`, headers: MERGE, body: { title: 'x' }, status },
  { send: `PATCH ${target}`, headers: MERGE, body: { title: 3 }, status },
  { send: `PATCH ${target}`, headers: { ...MERGE, 'If-Match': '*' }, body: { title: 'x' }, status },
];

const WRITES: readonly Leak[] = [
  {
    title: '[AUTH-5b] [URL-7] a hidden row is not found, exactly as an absent one',
    link: 'https://github.com/encode/django-rest-framework/issues/3698',
    steps: [
      ...forEachMethod('/api/v1/articles/h1', 404),
      ...forEachMethod('/api/v1/articles/a1/comments/c8', 404),
      ...forEachMethod('/api/v1/articles/h1/comments/c9', 404),
      { send: 'GET /api/v1/articles/h1/comments', status: 404 },
      { send: 'POST /api/v1/articles/h1/comments', body: { id: 'n', tenant: 'acme' }, status: 404 },
      { send: 'OPTIONS /api/v1/articles/h1' },
    ],
  },
  {
    title: '[AUTH-5c] a patch that makes its sender the owner changes no row that was hidden before',
    link: 'https://github.com/PostgREST/postgrest/issues/554',
    steps: [
      { send: 'PATCH /api/v1/articles/h1', headers: MERGE, body: { tenant: 'acme' }, status: 404 },
      {
        send: 'PATCH /api/v1/articles/h1',
        headers: { 'Content-Type': 'application/json-patch+json' },
        body: [{ op: 'replace', path: '/tenant', value: 'acme' }],
        status: 404,
      },
      { send: 'PATCH /api/v1/articles/a1', headers: MERGE, body: { tenant: 'byte' }, status: 403 },
      { send: 'POST /api/v1/articles', body: { id: 'n', tenant: 'byte', title: 'N' }, status: 403 },
    ],
  },
  {
    title: '[REP-11b] [MET-3] the response to PATCH and PUT has no field that the caller may not read',
    link: 'https://github.com/amplication/amplication/issues/2801',
    steps: [
      { send: 'PATCH /api/v1/users/u1', headers: MERGE, body: { name: 'Ada' }, status: 200 },
      {
        send: 'PATCH /api/v1/users/u1',
        headers: { ...MERGE, Prefer: 'return=representation' },
        body: { name: 'Al' },
        status: 200,
      },
      { send: 'PUT /api/v1/users/u2', body: { tenant: 'acme', name: 'Bo' }, status: 200 },
      { send: 'PATCH /api/v1/users/u1?dry_run=true', headers: MERGE, body: { name: 'An' }, status: 200 },
      {
        send: 'PATCH /api/v1/users/u1',
        headers: { ...MERGE, Prefer: 'return=minimal' },
        body: { name: 'Am' },
        status: 204,
      },
      {
        send: 'PATCH /api/v1/users/u1',
        headers: { ...MERGE, Accept: 'application/xml' },
        body: { name: 'A' },
        status: 200,
      },
    ],
    never: /email|contact|password_hash/,
  },
  {
    title: '[REP-11b] [MET-1] the response to POST has no default of a field that the caller may not read',
    link: 'https://github.com/VulcanJS/Vulcan/issues/2321',
    steps: [
      { send: 'POST /api/v1/articles', body: { id: 'n1', tenant: 'acme', title: 'N' }, status: 201 },
      { send: 'PUT /api/v1/articles/n2', body: { tenant: 'acme', title: 'N' }, status: 201 },
      {
        send: 'POST /api/v1/batches',
        body: { operations: [{ method: 'POST', path: '/articles', body: { id: 'n3', tenant: 'acme' } }] },
        status: 201,
      },
    ],
    never: /margin/,
  },
  {
    title: '[ERR-4] [REP-11b] no error shows the row that a write would leave',
    link: 'https://github.com/PostgREST/postgrest/issues/541',
    steps: [
      { send: 'PATCH /api/v1/users/u1', headers: MERGE, body: { name: 5 }, status: 400 },
      { send: 'PUT /api/v1/users/u1', body: { tenant: 'acme', name: ['x'] }, status: 400 },
      { send: 'PATCH /api/v1/users/u1', headers: MERGE, body: { tenant: 'byte' }, status: 403 },
      {
        send: 'PATCH /api/v1/users/u1',
        headers: { 'Content-Type': 'application/json-patch+json' },
        body: [{ op: 'test', path: '/name', value: 'x' }],
        status: 409,
      },
    ],
    never: /contact|password_hash|example/,
  },
  {
    title: '[MET-3] [REP-11b] a JSON patch tests, copies and moves no field that the caller may not read',
    link: 'https://github.com/parse-community/parse-server/pull/8143',
    steps: [
      [{ op: 'test', path: '/email', value: 'x' }],
      [{ op: 'copy', from: '/email', path: '/name' }],
      [{ op: 'move', from: '/contact/phone', path: '/name' }],
      [{ op: 'copy', from: '/password_hash', path: '/name' }],
      [{ op: 'test', path: '/password_hash', value: 'x' }],
    ].map((body) => ({
      send: 'PATCH /api/v1/users/u1',
      headers: { 'Content-Type': 'application/json-patch+json' },
      body,
    })),
  },
  {
    title: '[MET-10] [AUTH-5b] a reference to a hidden row is refused as one to nothing',
    link: 'https://github.com/learningequality/studio/issues/2258',
    steps: [
      { send: 'POST /api/v1/articles', body: { id: 'n', tenant: 'acme', author_id: 'u8' }, status: 400 },
      { send: 'PATCH /api/v1/articles/a1', headers: MERGE, body: { author_id: 'u8' }, status: 400 },
      { send: 'PATCH /api/v1/articles/a2', headers: MERGE, body: { title: 'B', author_id: 'u8' }, status: 400 },
      { send: 'POST /api/v1/articles?dry_run=true', body: { id: 'n', tenant: 'acme', author_id: 'u8' }, status: 400 },
      { send: 'GET /api/v1/articles?author_id=u8', status: 200 },
      // A reference that the row has already stays.
      { send: 'PATCH /api/v1/articles/a2', headers: MERGE, body: { title: 'B', author_id: 'u9' }, status: 200 },
    ],
  },
  {
    title: '[MET-10] a unique value of one tenant is free for another where the tenant is a part of it',
    link: 'https://github.com/objectstack-ai/objectstack/issues/8323',
    steps: [
      { send: 'POST /api/v1/articles', body: { id: 'n', tenant: 'acme', slug: 'wanted' }, status: 201 },
      { send: 'PATCH /api/v1/articles/a2', headers: MERGE, body: { slug: 'slug-h1' }, status: 200 },
      { send: 'PATCH /api/v1/articles/a2', headers: MERGE, body: { slug: 'slug-a1' }, status: 409 },
    ],
  },
  {
    title: '[MET-10] [AUTH-5b] a conflict with a hidden row names the field alone, and changes nothing',
    link: 'https://github.com/open-mercato/open-mercato/issues/2934',
    steps: [
      { send: 'POST /api/v1/labels', body: { id: 'n', tenant: 'acme', name: 'veiled blue' }, status: 409 },
      { send: 'PATCH /api/v1/labels/l1', headers: MERGE, body: { name: 'veiled blue' }, status: 409 },
      { send: 'POST /api/v1/articles', body: { id: 'h1', tenant: 'acme', title: 'N' }, status: 409 },
      {
        send: 'POST /api/v1/articles',
        headers: { 'Content-Type': 'application/x-ndjson' },
        body: '{"id":"h1","tenant":"acme"}\n',
        status: 200,
      },
    ],
    never: /byte|l9|blue|u1|slug/,
    differs: true,
  },
  {
    title: '[MET-2] [AUTH-5b] a PUT to the id of a hidden row neither replaces nor creates one',
    link: 'https://github.com/cockroachdb/cockroach/pull/143587',
    steps: [
      ...[{}, { 'If-None-Match': '*' }, { 'If-Match': '*' }, { Prefer: 'return=minimal' }].map((headers) => ({
        send: 'PUT /api/v1/articles/h1',
        headers,
        body: { tenant: 'acme', title: 'mine' },
        status: 404,
      })),
      { send: 'PUT /api/v1/articles/h1?dry_run=true', body: { tenant: 'acme' }, status: 404 },
      { send: 'PUT /api/v1/articles/a1/comments/c8', body: { tenant: 'acme' }, status: 404 },
    ],
    never: /byte|slug|u1/,
    differs: true,
  },
  {
    title: '[MET-13] [AUTH-5b] each operation of a batch is judged as a request of its own',
    link: 'https://github.com/parse-community/parse-server/pull/10482',
    steps: [true, false].flatMap((atomic) =>
      [
        [{ method: 'DELETE', path: '/articles/h1' }],
        [{ method: 'PATCH', path: '/articles/h1', headers: MERGE, body: { tenant: 'acme' } }],
        [{ method: 'POST', path: '/articles/h1/comments', body: { id: 'n', tenant: 'acme' } }],
        [{ method: 'DELETE', path: '/articles/a1/comments/c8' }],
        [{ method: 'PATCH', path: '/users/u1', headers: MERGE, body: { email: 'x' } }],
        [
          { method: 'POST', path: '/articles', body: { id: `n${atomic}`, tenant: 'acme' } },
          { method: 'PATCH', path: `/articles/n${atomic}`, headers: MERGE, body: { author_id: 'u8' } },
        ],
      ].map((operations) => ({ send: 'POST /api/v1/batches', body: { atomic, operations } })),
    ),
  },
  {
    title: '[MET-13] [AUTH-5c] each line of NDJSON is judged as a request of its own',
    link: 'https://github.com/objectstack-ai/objectstack/pull/3229',
    steps: [
      ...[
        { id: 'n1', tenant: 'byte' },
        { id: 'n2', tenant: 'acme', author_id: 'u8' },
        { id: 'n3', tenant: 'acme', margin: 'x' },
        { id: 'n4', tenant: 'acme', slug: 'wanted' },
      ].map((line) => ({
        send: 'POST /api/v1/articles',
        headers: { 'Content-Type': 'application/x-ndjson' },
        body: `${JSON.stringify(line)}\n`,
        status: 200,
      })),
      {
        send: 'POST /api/v1/articles/h1/comments',
        headers: { 'Content-Type': 'application/x-ndjson' },
        body: '{"id":"n","tenant":"acme"}\n',
        status: 404,
      },
    ],
  },
  {
    title: '[MET-4a] [AUTH-5b] the deletion of a hidden row is no news: it was 404 and stays 404',
    link: 'https://github.com/supabase/supabase/issues/3572',
    steps: [
      ...get('articles?page=1', 'users/u1?expand=articles'),
      { send: 'GET /api/v1/articles/h1', status: 404 },
      { send: 'DELETE /api/v1/articles/h2', by: 'hidden' },
      { send: 'GET /api/v1/articles/h2', status: 404 },
      { send: 'DELETE /api/v1/articles/h2', status: 404 },
      { send: 'PUT /api/v1/articles/a1/comments/h2', body: { tenant: 'acme' }, status: 201 },
      ...get('articles?page=1', 'users/u1?expand=articles', 'users?articles.id=h2'),
    ],
  },
  {
    title: '[MET-4a] [CACHE-2] the deletion of a visible row is seen at once by those who saw it',
    link: 'https://github.com/pocketbase/pocketbase/issues/109',
    steps: [
      ...get('articles?page=1', 'articles/a3', 'users/u1?expand=articles'),
      { send: 'DELETE /api/v1/articles/a3', by: 'admin' },
      { send: 'GET /api/v1/articles/a3', status: 404 },
      { send: 'GET /api/v1/articles/a3/comments', status: 404 },
      ...get('articles?page=1', 'users/u1?expand=articles', 'articles?q=cog'),
    ],
  },
  {
    title: '[MET-4d] a cascade over hidden rows is answered as one without them, in a batch too',
    link: 'https://github.com/surrealdb/surrealdb/issues/6991',
    steps: [
      { send: 'DELETE /api/v1/articles/a1?dry_run=true', status: 200 },
      {
        send: 'POST /api/v1/batches',
        body: { atomic: true, operations: [{ method: 'DELETE', path: '/articles/a1' }] },
      },
      { send: 'GET /api/v1/articles/a1/comments/c8', status: 404 },
      ...get('articles?page=1'),
    ],
    cascades: true,
  },
  {
    title: '[MET-12] an idempotency key of one caller replays nothing to another',
    link: 'https://github.com/arun0009/idempotent/pull/217',
    steps: [
      {
        send: 'POST /api/v1/articles',
        headers: { 'Idempotency-Key': 'k' },
        body: { id: 'k1', tenant: 'byte', title: SECRET },
        by: 'hidden',
      },
      {
        send: 'POST /api/v1/articles',
        headers: { 'Idempotency-Key': 'k' },
        body: { id: 'k2', tenant: 'acme', title: 'mine' },
        status: 201,
      },
      ...get('articles?page=1'),
    ],
  },
  {
    title: '[AUTH-5a] [CACHE-2] what others write is in no page, total, relation or search',
    link: 'https://github.com/apache/paimon/pull/9681',
    steps: [
      ...get('articles?page=1', 'users?expand=articles', 'articles/a1?expand=comments'),
      {
        send: 'POST /api/v1/articles',
        body: { id: 'h7', tenant: 'byte', title: SECRET, author_id: 'u9' },
        by: 'hidden',
      },
      { send: 'PATCH /api/v1/articles/h3', headers: MERGE, body: { title: `Bolt ${SECRET} 2` }, by: 'hidden' },
      ...get('articles?page=1', 'articles?q=bolt&page=1', 'users?expand=articles', 'articles/a1?expand=comments'),
    ],
  },
];

/** The caller of a step. */
function sent({ send, body, headers, by }: Step): Pick<ExchangeRow, 'send' | 'body' | 'headers'> {
  const caller = by === undefined ? ANN : by === 'admin' ? ADMIN : EVE;
  return { send, headers: { ...caller, ...headers }, ...(body === undefined ? {} : { body }) };
}

const isRead = ({ send }: Step): boolean => /^(?:GET|HEAD|QUERY|OPTIONS) /.test(send);

/** The hidden rows, as an administrator sees them. */
async function hiddenRows(api: ApiUnderTest): Promise<readonly string[]> {
  const paths = [
    'users?tenant=byte',
    'articles?tenant=byte&expand=comments',
    'articles/a1/comments?tenant=byte',
    'labels',
  ];
  const pages = paths.map((path) => api.send({ send: `GET /api/v1/${path}`, headers: ADMIN }));
  return (await Promise.all(pages)).map(({ text }) => text);
}

async function play(leak: Leak): Promise<void> {
  await using api = await tenantsApi();
  await using other = await tenantsApi('other');
  let before = await hiddenRows(api);
  let told = false;
  for (const step of leak.steps) {
    const request = sent(step);
    if (step.by !== undefined) {
      const { status, text } = await api.send(request);
      assert.ok(status < 300, `${step.send}: ${text}`);
      if (step.by === 'admin') await other.send(request);
      before = await hiddenRows(api);
      continue;
    }
    // Twice, with callers between who see more: also from the caches.
    for (let time = 0; time < 2; time += 1) {
      const got = await api.send(request);
      const where = `${leak.link}\n${step.send} ${JSON.stringify(step.body) ?? ''}: ${got.text}`;
      if (time === 0 && step.status !== undefined) assert.equal(got.status, step.status, where);
      const wanted = await other.send(request);
      if (leak.differs !== true) assert.deepEqual(comparable(got), comparable(wanted), where);
      const bytes = `${[...got.headers].flat().join('\n')}\n${got.text}`;
      assert.ok(!bytes.includes(SECRET), where);
      if (leak.never !== undefined) assert.doesNotMatch(withoutQuotes(bytes, step), leak.never, where);
      if (!isRead(step)) continue;
      for (const caller of BETWEEN) await api.send({ ...request, headers: { ...request.headers, ...caller } });
      const whole = await api.send({ ...request, headers: { ...request.headers, ...ADMIN } });
      if (step.admin !== undefined) assert.equal(whole.status, step.admin, whole.text);
      told ||= whole.text.includes(SECRET);
    }
  }
  // Otherwise there would be nothing to hide.
  const isTold = leak.steps.some((step) => isRead(step) && (step.admin ?? step.status) === 200);
  assert.ok(told || !isTold, 'an administrator sees it');
  if (leak.cascades !== true) assert.deepEqual(await hiddenRows(api), before);
}

/** A response without what it repeats of the request. */
function withoutQuotes(text: string, { send }: Step): string {
  return text.replaceAll(send.split('?')[1] ?? ' ', '');
}

describe('what an API shows equals what it shows where the hidden rows and values are others', () => {
  for (const leak of [...READS, ...WRITES]) it(leak.title, () => play(leak));
});

describe('what is kept for a caller', () => {
  const ids = async (api: ApiUnderTest, path: string, headers: Readonly<Record<string, string>>): Promise<string> => {
    const { body } = await api.send({ send: `GET /api/v1/${path}`, headers });
    return body.data.map(({ id }: { readonly id: string }) => id).join();
  };

  // https://github.com/directus/directus/issues/23319
  it('[AUTH-5a] [CACHE-2] follows the claims of each token, though the subject is the same', async () => {
    await using api = await tenantsApi();
    const before = ANN;
    const after = as({ subject: 'ann', claims: { tenants: ['byte'] } });
    const none = as({ subject: 'ann' });
    for (let time = 0; time < 3; time += 1) {
      assert.equal(await ids(api, 'users?sort=id', before), 'u1,u2');
      assert.equal(await ids(api, 'users?sort=id', after), 'u8,u9');
      assert.equal(await ids(api, 'users?sort=id', none), '');
      for (const [headers, status] of [
        [before, 200],
        [after, 404],
        [none, 404],
      ] as const)
        assert.equal((await api.send({ send: 'GET /api/v1/users/u1', headers })).status, status);
    }
  });

  // https://github.com/directus/directus/pull/24543
  it('[AUTH-5a] depends on no time: a policy cannot name one', () => {
    const text = `
name: desk
auth: { issuers: [{ name: test, issuer: https://id.example.com, audience: desk, hs256_secret: 0123456789abcdef0123456789abcdef }] }
resources:
  notes:
    schema: { type: object, properties: { at: { type: string, format: date-time }, text: { type: string } } }
    access: { read: authenticated, rows: { read: POLICY } }
`;
    for (const policy of [
      '{ at: { lte: $NOW } }',
      '{ text: $NOW }',
      '{ text: $CURRENT_USER }',
      '{ text: $caller.now }',
    ]) {
      assert.throws(
        () => loadModel({ file: 'm.yaml', text: text.replace('POLICY', policy), env: {} }),
        ModelError,
        policy,
      );
    }
  });

  // https://github.com/ptrlrd/spire-codex/pull/640
  it('[CACHE-5] [CACHE-6a] [NEG-3b] is private to it in shared caches', async () => {
    await using api = await tenantsApi();
    for (const path of ['users', 'users/u1', 'articles?expand=author&q=bolt', 'articles/h1']) {
      const { status, headers } = await api.send({ send: `GET /api/v1/${path}`, headers: ANN });
      assert.match(headers.get('cache-control') ?? '', status === 200 ? /^private/ : /no-store/);
      assert.match(headers.get('vary') ?? '', /Authorization/);
    }
  });

  // https://github.com/laravel/framework/pull/37216
  it('[PAGE-6] is in no cursor that can be read, and a cursor shows others nothing', async () => {
    await using api = await tenantsApi();
    const first = await api.send({ send: 'GET /api/v1/articles?sort=-title&limit=1', headers: ADMIN });
    assert.match(first.body.data[0].title, new RegExp(`^${SECRET}`));
    const cursor: string = first.body.page.next_cursor;
    for (const encoding of ['base64url', 'hex', 'latin1'] as const)
      assert.ok(!Buffer.from(cursor, encoding).toString('latin1').includes(SECRET));
    for (let time = 0; time < 2; time += 1) {
      const after = await api.send({ send: `GET /api/v1/articles?after=${cursor}&limit=10`, headers: ANN });
      assert.deepEqual(
        after.body.data.map(({ id }: { readonly id: string }) => id),
        ['a4', 'a3', 'a2', 'a1'],
      );
      assert.ok(!after.text.includes(SECRET));
    }
  });
});
