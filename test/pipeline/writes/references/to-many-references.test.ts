import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ApiUnderTest, apiUnderTest, type Seen } from '../../support/api-under-test.ts';
import { create, parseIds } from '../../models/shop-model.ts';

const BLOG = `
name: blog
version: 1.0.0
resources:
  labels:
    id: client
    sort: name
    schema: { type: object, properties: { name: { type: string }, color: { type: string, enum: [RED, BLUE] } } }
  posts:
    id: client
    schema:
      type: object
      properties:
        title: { type: string }
        label_ids: { type: array, items: { type: string, x-references: { resource: labels, inverse: posts } } }
        related_ids: { type: array, items: { type: string, x-references: posts } }
        line_ids: { type: array, items: { type: string, x-references: { resource: lines, as: highlights } } }
        secret_ids: { type: array, writeOnly: true, items: { type: string, x-references: labels } }
  lines: { parent: posts, schema: { type: object, properties: { text: { type: string } } } }
  files:
    parent: posts
    id: client
    schema:
      type: object
      properties:
        name: { type: string }
        copy_ids: { type: array, items: { type: string, x-references: { resource: files, as: copies } } }
`;

let blog: ApiUnderTest;
let line = '';
before(async () => {
  blog = await apiUnderTest(BLOG);
  const labels = [
    { id: 'x,1', name: 'c', color: 'RED' },
    { id: 'y/2', name: 'b', color: 'BLUE' },
    { id: 'z', name: 'a', color: 'RED' },
  ];
  for (const label of labels) await create(blog, 'labels', label);
  await create(blog, 'posts', { id: 'p1', title: 'One', label_ids: ['x,1', 'y/2', 'x,1'] });
  await create(blog, 'posts', { id: 'p2', title: 'Two', label_ids: ['z'], related_ids: ['p1'] });
  await create(blog, 'posts', { id: 'p3', title: 'Three' });
  ({ id: line } = await create(blog, 'posts/p1/lines', { text: 'l' }));
  await create(blog, 'posts', { id: 'p4', line_ids: [line], secret_ids: ['z'] });
  for (const post of ['p1', 'p2']) {
    await create(blog, `posts/${post}/files`, { id: 'f', name: `${post} f` });
    await create(blog, `posts/${post}/files`, { id: 'g', name: `${post} g`, copy_ids: ['f'] });
  }
});
after(() => blog.close());

const get = (target: string): Promise<Seen> => blog.row({ send: `GET /api/v1/${target}`, status: 200 });
const ids = async (target: string): Promise<string> => parseIds(await get(target)).join(' ');

describe('an array of references', () => {
  it('[REP-9c] links to the rows that it refers to, in the order of the relations', async () => {
    const { body } = await get('posts/p2');
    assert.deepEqual(body['links'], {
      self: '/api/v1/posts/p2',
      collection: '/api/v1/posts',
      labels: '/api/v1/labels?id%5Bin%5D=z',
      related: '/api/v1/posts?id%5Bin%5D=p1',
      lines: '/api/v1/posts/p2/lines',
      files: '/api/v1/posts/p2/files',
    });
    const link = (await get('posts/p1')).body['links'].labels;
    assert.equal(link, '/api/v1/labels?id%5Bin%5D=x%2C1,y%2F2');
    assert.deepEqual(parseIds(await blog.row({ send: `GET ${link}`, status: 200 })), ['y/2', 'x,1']);
  });

  it('[REP-9c] has no link where it is empty, and a link below the parent of both', async () => {
    assert.deepEqual(Object.keys((await get('posts/p3')).body['links']), ['self', 'collection', 'lines', 'files']);
    const { body } = await get('posts/p2/files/g');
    assert.equal(body['links'].copies, '/api/v1/posts/p2/files?id%5Bin%5D=f');
    assert.equal((await get('posts/p2/files?id%5Bin%5D=f')).body['data'][0].name, 'p2 f');
  });

  it('[QRY-4] expands to the first page of the collection that its link leads to', async () => {
    const { body } = await get('posts?expand=labels,related.labels&sort=id');
    const [one, two, three] = body['data'];
    assert.deepEqual(one.labels, (await get('labels?id[in]=x%2C1,y%2F2&limit=20')).body);
    assert.deepEqual(
      two.related.data.map(({ id, labels }: { id: string; labels: { data: { id: string }[] } }) => [
        id,
        labels.data.map((label) => label.id),
      ]),
      [['p1', ['y/2', 'x,1']]],
    );
    assert.deepEqual([three.labels.data, three.labels.page.count, three.labels.links], [[], 0, {}]);
    assert.deepEqual(Object.keys(one).slice(-3), ['labels', 'related', 'links']);
    const { body: file } = await get('posts/p1/files/g?expand=copies&fields=name');
    assert.deepEqual(file['copies'].data[0].name, 'p1 f');
    assert.deepEqual(file['copies'], (await get('posts/p1/files?id%5Bin%5D=f&limit=20')).body);
  });

  it('[QRY-4] [REP-9c] to rows below several parents expands and has no link', async () => {
    const { body } = await get('posts/p4?expand=highlights');
    const found = (await get(`posts/p1/lines/${line}`)).body;
    assert.deepEqual(body['highlights'].data, [found]);
    assert.deepEqual([body['highlights'].page.count, body['highlights'].links], [1, {}]);
    assert.ok(!('highlights' in body['links']));
    assert.equal(await ids('posts?highlights.text=l'), 'p4');
  });

  it('[REP-11a] that is write-only is neither expanded nor linked', async () => {
    assert.deepEqual(Object.keys((await get('posts/p4')).body['links']), ['self', 'collection', 'lines', 'files']);
    for (const query of ['expand=secrets', 'secrets.name=a']) {
      await blog.row({ send: `GET /api/v1/posts?${query}`, status: 400 });
    }
  });

  const filters: readonly (readonly [query: string, found: string])[] = [
    ['posts?labels.color=RED', 'p1 p2'],
    ['posts?labels.color=BLUE', 'p1'],
    ['posts?labels.color=BLUE&labels.name=c', ''],
    ['posts?labels.id=z', 'p2'],
    ['posts?labels.id[in]=x%2C1,z', 'p1 p2'],
    ['posts?labels.name[ne]=a', 'p1'],
    ['posts?labels.name[exists]=false', ''],
    ['posts?related.title=One', 'p2'],
    ['posts?any[1][related.title]=One&any[2][labels.color]=BLUE', 'p1 p2'],
    ['labels?posts.title=One', 'y/2 x,1'],
    ['posts/p1/files?copies.name=p1 f', 'g'],
    ['posts/p1/files?copies.name=p2 f', ''],
  ];
  for (const [query, found] of filters) {
    it(`[QRY-1] ${query} finds ${found === '' ? 'nothing' : found}`, async () =>
      assert.equal(await ids(query.replace(' ', '%20')), found));
  }

  it('[CACHE-1] is part of the ETag of what it is expanded in', async () => {
    await using own = await apiUnderTest(BLOG);
    await create(own, 'labels', { id: 'z', name: 'a' });
    await create(own, 'posts', { id: 'p', label_ids: ['z'] });
    for (const target of ['posts?expand=labels', 'posts/p?expand=labels']) {
      const first = await own.send({ send: `GET /api/v1/${target}` });
      const known = { 'If-None-Match': first.headers.get('etag') ?? '' };
      await own.row({ send: `GET /api/v1/${target}`, headers: known, status: 304 });
      await own.row({ send: 'PATCH /api/v1/labels/z', body: { name: target }, status: 200, events: ['label.updated'] });
      const { body, status } = await own.send({ send: `GET /api/v1/${target}`, headers: known });
      assert.equal(status, 200, target);
      assert.equal((body['data']?.[0] ?? body).labels.data[0].name, target);
    }
  });

  it('[QRY-4] [PAGE-2] expands to its first 20 rows, with a link to the next ones while a URL can hold them', async () => {
    await using own = await apiUnderTest(BLOG);
    const made = Array.from({ length: 300 }, (_, index) => `label-with-a-long-name-${index}`);
    for (const id of made) await create(own, 'labels', { id, name: id });
    await create(own, 'posts', { id: 'few', label_ids: made.slice(0, 25) });
    await create(own, 'posts', { id: 'many', label_ids: made });
    const { labels, links } = (await own.send({ send: 'GET /api/v1/posts/few?expand=labels' })).body;
    assert.deepEqual([labels.data.length, labels.page.has_more], [20, true]);
    const next = await own.row({ send: `GET ${labels.links.next}`, status: 200 });
    assert.equal(parseIds(next).length, 5);
    assert.equal(parseIds(await own.row({ send: `GET ${links.labels}&limit=100`, status: 200 })).length, 25);
    const { body } = await own.send({ send: 'GET /api/v1/posts/many?expand=labels' });
    assert.deepEqual([body.labels.data.length, body.labels.page.has_more, body.labels.links], [20, true, {}]);
    assert.ok(!('labels' in body.links));
    const queried = await own.row({
      send: 'GET /api/v1/labels?posts.id=many&include_total=true',
      status: 200,
    });
    assert.equal(queried.body['page'].total_count, 300);
  });
});
