import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { failure } from './failure.ts';
import { collected } from './observed-client.ts';
import { serveShop } from './served-shop.ts';

const TEA = { sku: 'tea', name: 'Tea', price: '3.50' };

describe('a client', () => {
  it('creates, reads, changes, replaces and deletes', async () => {
    await using shop = await serveShop();
    const { products } = shop.api;
    const tea = await products.create({ ...TEA, tags: ['new'] });
    assert.deepEqual([tea.name, tea.currency, tea.stock, tea.tags], ['Tea', 'EUR', null, ['new']]);
    assert.equal((await products.get(tea.id)).revision, tea.revision);
    const changed = await products.update(tea.id, { stock: 3 });
    assert.deepEqual([changed.stock, changed.total], [3, 3]);
    const replaced = await products.replace(tea.id, { ...TEA, name: 'Green tea' });
    assert.deepEqual([replaced.name, replaced.stock], ['Green tea', null]);
    assert.equal(await products.delete(tea.id), undefined);
    assert.equal((await failure(products.get(tea.id))).code, 'PRODUCT_NOT_FOUND');
  });

  it('reads selected fields and related items', async () => {
    await using shop = await serveShop();
    const { products, suppliers } = shop.api;
    const maker = await suppliers.create({ name: 'Twinings', country: 'GB' });
    const tea = await products.create({ ...TEA, supplier_id: maker.id, size: { unit: 'cm', depth: 2 } });
    const some = await products.get(tea.id, { fields: ['name', 'size.depth'], expand: ['supplier'] });
    assert.deepEqual(Object.keys(some).toSorted(), ['id', 'links', 'name', 'revision', 'size', 'supplier']);
    assert.deepEqual([some.size, some.supplier?.country], [{ depth: 2 }, 'GB']);
    const { products: made } = await suppliers.get(maker.id, { expand: ['products.reviews'] });
    assert.deepEqual([made.data.map(({ name }) => name), made.data[0]?.reviews.data], [['Tea'], []]);
  });

  it('[QRY-1] writes every operator, groups, relations and lists with commas', async () => {
    await using shop = await serveShop();
    const { products, suppliers } = shop.api;
    const maker = await suppliers.create({ name: 'Twinings', country: 'GB' });
    await products.create({ ...TEA, stock: 3, tags: ['a,b'], supplier_id: maker.id, since: '2026-01-01T00:00:00Z' });
    await products.create({
      sku: 'milk',
      name: 'Milk, fresh',
      price: '1',
      listed: true,
      size: { unit: 'l', depth: 1 },
    });
    const names = async (query: Parameters<typeof products.list>[0]): Promise<readonly string[]> =>
      (await collected(products.list({ sort: ['name'], ...query }))).map(({ name }) => name);
    const [milk, tea] = [['Milk, fresh'], ['Tea']];
    assert.deepEqual(await names({ filter: { name: 'Tea' } }), tea);
    assert.deepEqual(await names({ filter: { name: ['Milk, fresh', 'x'] } }), milk);
    assert.deepEqual(await names({ filter: { name: { in: ['Milk, fresh', 'x'] } } }), milk);
    assert.deepEqual(await names({ filter: { name: { nin: ['Milk, fresh', 'x'] } } }), tea);
    assert.deepEqual(await names({ filter: { name: { eq: 'Tea' } } }), tea);
    assert.deepEqual(await names({ filter: { name: { ne: 'Tea' } } }), milk);
    assert.deepEqual(await names({ filter: { name: { contains: ', f' } } }), milk);
    assert.deepEqual(await names({ filter: { name: { starts_with: 'T' } } }), tea);
    assert.deepEqual(await names({ filter: { price: { gt: '1', lte: '3.5' } } }), tea);
    assert.deepEqual(await names({ filter: { price: { gte: '1', lt: '3.5' } } }), milk);
    assert.deepEqual(await names({ filter: { stock: { exists: false } } }), milk);
    assert.deepEqual(await names({ filter: { listed: true } }), milk);
    assert.deepEqual(await names({ filter: { since: { gt: '2025-12-31T23:00:00+02:00' } } }), tea);
    assert.deepEqual(await names({ filter: { tags: { contains: 'a,b' } } }), tea);
    assert.deepEqual(await names({ filter: { 'size.depth': { lt: 3 } } }), milk);
    assert.deepEqual(await names({ filter: { 'supplier.country': 'GB' } }), tea);
    assert.deepEqual(await names({ filter: { name: [] } }), []);
    assert.deepEqual(await names({ filter: { name: { in: [] }, tags: { contains: 'x' }, price: [] } }), []);
    assert.deepEqual(await names({ filter: { name: { nin: [] } } }), [...milk, ...tea]);
    assert.deepEqual(await names({ any: [{ name: [] }, { name: 'Tea' }] }), tea);
    assert.deepEqual(await names({ any: [{ name: 'Tea' }, { price: { lt: '2' }, listed: true }] }), [...milk, ...tea]);
    assert.deepEqual(await names({ any: [{ name: 'Tea' }, { 'size.unit': ['l'] }], filter: { listed: true } }), milk);
  });

  it('[PAGE-2] iterates over all pages by cursor, offset and page, and over pages', async () => {
    await using shop = await serveShop();
    const { notes } = shop.api;
    await collected(notes.createMany(Array.from({ length: 7 }, (_, index) => ({ text: `${index}`, mark: index }))));
    const query = { filter: { mark: { lt: 6 } }, sort: ['-mark'] as const, fields: ['text'] as const, limit: 2 };
    for (const position of [{}, { offset: 0 }, { page: 1 }]) {
      const texts = await collected(notes.list({ ...query, ...position }), ({ text }) => text);
      assert.equal(texts.join(''), '543210');
    }
    const counts = await collected(notes.pages(query), ({ page }) => page.count);
    assert.deepEqual(counts, [2, 2, 2]);
    const { page } = await notes.page({ limit: 1, include_total: true });
    assert.deepEqual([page.count, page.total_count, page.has_more], [1, 7, true]);
    const next = await notes.page({ limit: 1, after: page.next_cursor ?? '' });
    assert.equal(next.data[0]?.text, '1');
  });

  it('[PAGE-4] iterates by each technique of pagination, from a position', async () => {
    await using shop = await serveShop();
    const { notes } = shop.api;
    await collected(notes.createMany(Array.from({ length: 6 }, (_, index) => ({ text: `${index}`, mark: index }))));
    const all = await collected(notes.list());
    const [first, second] = all;
    assert.ok(first !== undefined && second !== undefined);
    const { page } = await notes.page({ limit: 2, sort: ['-mark'], filter: { mark: { lt: 5 } } });
    const rows: readonly (readonly [NonNullable<Parameters<typeof notes.list>[0]>, string, string])[] = [
      [{ page: 2 }, 'page', '2345'],
      [{ offset: 3 }, 'offset', '345'],
      [{}, 'cursor', '012345'],
      [{ last_id: first.id }, 'keyset', '12345'],
      [{ start_time: first.created_at, before: '2999-01-01T00:00:00Z' }, 'time', '012345'],
      [{ after_timestamp: second.created_at, after_id: second.id }, 'seek', '2345'],
      // Hybrid: a cursor restores its filter and its sort.
      [{ after: page.next_cursor ?? '' }, 'cursor', '210'],
    ];
    for (const [position, technique, expected] of rows) {
      const pages = await collected(notes.pages({ limit: 2, ...position }));
      assert.equal(pages.flatMap(({ data }) => data.map(({ text }) => text)).join(''), expected);
      assert.equal(pages[0]?.page.technique, technique);
      assert.equal(pages.length, Math.ceil(expected.length / 2));
    }
  });

  it('[QRY-6] searches, and [QRY-4] expands, on every page', async () => {
    await using shop = await serveShop();
    const { suppliers, products } = shop.api;
    const maker = await suppliers.create({ name: 'Tea house' });
    await suppliers.create({ name: 'Coffee house' });
    for (const sku of ['a', 'b', 'c']) await products.create({ ...TEA, sku, supplier_id: maker.id });
    const found = await collected(suppliers.list({ q: 'tea ho', sort: ['name'], limit: 1 }), ({ name }) => name);
    assert.deepEqual(found, ['Tea house']);
    const expanded = products.list({ limit: 2, fields: ['sku'], expand: ['supplier'] });
    assert.deepEqual(await collected(expanded, ({ sku, supplier }) => `${sku} ${supplier?.name}`), [
      'a Tea house',
      'b Tea house',
      'c Tea house',
    ]);
  });

  it('[PAGE-2] reads no page before it is needed', async () => {
    await using shop = await serveShop();
    const { notes } = shop.api;
    await collected(notes.createMany([{ text: 'a' }, { text: 'b' }, { text: 'c' }]));
    const before = shop.sent.length;
    const list = notes.list({ limit: 1 });
    assert.equal(shop.sent.length, before);
    for await (const { text } of list) if (text === 'b') break;
    assert.equal(shop.sent.length, before + 2);
  });

  it('[MET-9] sends a query that is too long for a URL as QUERY, and follows its pages', async () => {
    await using shop = await serveShop();
    const { notes } = shop.api;
    await collected(notes.createMany([{ text: 'a' }, { text: 'b' }, { text: 'c' }]));
    const filter = { text: { in: ['a', 'c', ...Array.from({ length: 50 }, (_, index) => `${index}`.repeat(200))] } };
    const texts = await collected(notes.list({ filter, limit: 1 }), ({ text }) => text);
    assert.deepEqual(texts, ['a', 'c']);
    assert.deepEqual(
      shop.sent.slice(-2).map(({ method, target }) => [method, target]),
      [
        ['QUERY', '/notes'],
        ['QUERY', '/notes'],
      ],
    );
  });

  it('reaches nested collections, also by an item', async () => {
    await using shop = await serveShop();
    const tea = await shop.api.products.create(TEA);
    const { reviews } = shop.api.products(tea.id);
    const review = await reviews.create({ id: 'a/b ü', stars: 4 });
    assert.equal((await shop.api.products(tea).reviews.get('a/b ü')).stars, 4);
    assert.equal((await reviews.update(review, { stars: 5 })).stars, 5);
    const listed = await collected(shop.api.products(tea).reviews.list({ filter: { stars: 5 } }));
    assert.equal(listed.length, 1);
    assert.equal((await failure(shop.api.products('none').reviews.page())).code, 'PRODUCT_NOT_FOUND');
  });

  it('[CACHE-3] writes to an item that was read only if it has the same revision', async () => {
    await using shop = await serveShop();
    const { products } = shop.api;
    const tea = await products.create(TEA);
    const some = await products.get(tea.id, { fields: ['name'] });
    await products.update(some, { stock: 1 });
    for (const call of [
      () => products.update(tea, { stock: 2 }),
      () => products.replace(tea, TEA),
      () => products.delete(some),
    ]) {
      const error = await failure(call());
      assert.ok(error.kind === 'PRECONDITION_FAILED');
      assert.deepEqual([error.status, error.code], [412, 'PRODUCT_PRECONDITION_FAILED']);
    }
    await products.delete(await products.get(tea.id));
  });

  it('[ERR-1] throws every error with its code, kind, details and correlation id', async () => {
    await using shop = await serveShop();
    const { products, suppliers } = shop.api;
    const maker = await suppliers.create({ name: 'a' });
    await products.create({ ...TEA, supplier_id: maker.id });
    const refused = shop.clientWith({ token: 'alice' });
    const none = shop.clientWith({ token: null });
    const rows: readonly (readonly [() => Promise<unknown>, number, string, string])[] = [
      [() => products.create({ ...TEA, price: 'x' }), 400, 'PRODUCT_INVALID', 'INVALID'],
      [() => products.create({ ...TEA, supplier_id: 'x' }), 400, 'PRODUCT_INVALID', 'INVALID'],
      [() => products.page({ after: 'x' }), 400, 'PAGINATION_CURSOR_INVALID', 'PAGINATION_CURSOR_INVALID'],
      [() => products.page({ limit: 0 }), 400, 'PAGINATION_LIMIT_INVALID', 'PAGINATION_LIMIT_INVALID'],
      [() => products.page({ filter: { price: 'x' } }), 400, 'QUERY_FILTER_INVALID', 'QUERY_FILTER_INVALID'],
      [() => none.products.page(), 401, 'AUTH_REQUIRED', 'AUTH_REQUIRED'],
      [() => refused.products.page(), 403, 'AUTH_SCOPE_INSUFFICIENT', 'AUTH_SCOPE_INSUFFICIENT'],
      [() => products.get('x'), 404, 'PRODUCT_NOT_FOUND', 'NOT_FOUND'],
      [() => Reflect.get(shop.api, 'colours').page(), 404, 'REQUEST_ROUTE_NOT_FOUND', 'REQUEST_ROUTE_NOT_FOUND'],
      [() => suppliers.delete(maker.id), 409, 'SUPPLIER_HAS_DEPENDENTS', 'HAS_DEPENDENTS'],
      [() => shop.clientWith({ version: 9 }).products.page(), 404, 'API_VERSION_NOT_FOUND', 'API_VERSION_NOT_FOUND'],
    ];
    for (const [call, status, code, kind] of rows) {
      const error = await failure(call());
      assert.deepEqual([error.status, error.code, error.kind], [status, code, kind]);
      assert.match(error.correlationId ?? '', /^.+$/);
      assert.match(error.message, /\.$/);
    }
    const { details } = await failure(products.create({ ...TEA, price: 'x' }));
    assert.deepEqual(
      details.map(({ field }) => field),
      ['price'],
    );
    assert.deepEqual(shop.pauses, []);
  });

  it('[VER-1] sends its version in the URL, and a minor in a header field', async () => {
    await using shop = await serveShop();
    await shop.clientWith({ version: 1 }).notes.page();
    await shop.clientWith({ version: 1, url: `${shop.url}/` }).notes.page();
    await shop.clientWith({ version: '1.0' }).notes.page();
    assert.deepEqual(
      shop.sent.map(({ target, headers }) => [target, headers.get('API-Version')]),
      [
        ['/v1/notes', null],
        ['/v1/notes', null],
        ['/v1/notes', '1.0'],
      ],
    );
    assert.equal((await failure(shop.clientWith({ version: '1.9' }).notes.page())).kind, 'API_VERSION_UNSUPPORTED');
  });

  it('[MET-14] makes dry runs', async () => {
    await using shop = await serveShop();
    const { notes } = shop.api;
    assert.equal((await notes.create({ text: 'a' }, { dry_run: true })).text, 'a');
    assert.equal((await notes.page()).data.length, 0);
  });

  it('accepts no id that leads to another resource, and is no promise', async () => {
    await using shop = await serveShop();
    for (const id of ['', '.', '..']) {
      await assert.rejects(shop.api.products.delete(id), TypeError);
      assert.throws(() => shop.api.products(id), TypeError);
    }
    assert.equal(await Promise.resolve(shop.api), shop.api);
    assert.equal(JSON.stringify(shop.api), '{}');
    assert.equal(shop.sent.length, 0);
  });
});

describe('a batch of a client', () => {
  it('[MET-13] makes all writes or none, and returns what each of them returns', async () => {
    await using shop = await serveShop();
    const tea = await shop.api.products.create(TEA);
    const [milk, review, changed, none] = await shop.api.$batch((to) => [
      to.products.create({ ...TEA, sku: 'milk', name: 'Milk' }),
      to.products(tea).reviews.create({ id: 'r', stars: 3 }),
      to.products.update(tea, { stock: 4 }),
      to.notes.create({ text: 'x' }),
    ]);
    assert.deepEqual([milk.name, review.stars, changed.stock, none.text], ['Milk', 3, 4, 'x']);
    const failed = await failure(
      shop.api.$batch((to) => [to.products.delete(milk.id), to.products.create({ ...TEA, price: 'x' })]),
    );
    assert.deepEqual([failed.code, failed.details[0]?.field], ['PRODUCT_INVALID', 'operations[1].body.price']);
    assert.equal((await shop.api.products.get(milk.id)).name, 'Milk');
    const stale = await failure(shop.api.$batch((to) => [to.products.delete(tea)]));
    assert.equal(stale.kind, 'PRECONDITION_FAILED');
    assert.deepEqual(await shop.api.$batch((to) => [to.products.delete(milk)]), [undefined]);
    assert.deepEqual(await shop.api.$batch(() => []), []);
  });

  it('[MET-13] makes each write by itself if it is not atomic', async () => {
    await using shop = await serveShop();
    const results = await shop.api.$batch(
      (to) => [to.notes.create({ text: 'a' }), to.notes.delete('none'), to.notes.create({ text: 'b' })],
      { atomic: false },
    );
    assert.deepEqual(
      results.map((each) => (each.status === 'fulfilled' ? each.value?.text : each.reason.code)),
      ['a', 'NOTE_NOT_FOUND', 'b'],
    );
  });
});

describe('a batch of a client that may be repeated', () => {
  it('[MET-12] writes nothing a second time with the same key, and nothing at all in a dry run', async () => {
    await using shop = await serveShop();
    const create = (options: { idempotencyKey?: string; dry_run?: boolean }) =>
      shop.api.$batch((to) => [to.notes.create({ text: 'a' }), to.notes.create({ text: 'b' })], {
        atomic: false,
        ...options,
      });
    const dry = await create({ dry_run: true });
    assert.deepEqual(
      dry.map(({ status }) => status),
      ['fulfilled', 'fulfilled'],
    );
    assert.equal((await shop.api.notes.page()).data.length, 0);
    const first = await create({ idempotencyKey: 'k' });
    assert.deepEqual(await create({ idempotencyKey: 'k' }), first);
    assert.equal((await shop.api.notes.page()).data.length, 2);
  });

  it('[LIM-2a] says how long a write waits that a limit has refused', async () => {
    await using shop = await serveShop();
    const error = {
      httpStatus: 429,
      errorCode: 'RATE_LIMIT_EXCEEDED',
      errorMessage: 'Too many requests.',
      correlationId: '1',
      timestamp: '2026-01-01T00:00:00.000Z',
      details: [],
    };
    const headers = { 'Retry-After': '3' };
    shop.intercept(async () => Response.json({ results: [{ status: 429, headers, body: error }] }));
    const [result] = await shop.api.$batch((to) => [to.notes.create({ text: 'a' })], { atomic: false });
    assert.equal(result.status === 'rejected' && result.reason.retryAfter, 3_000);
  });
});

describe('an upload of a client', () => {
  it('[MET-12] creates no row twice with the same key, over several requests', async () => {
    await using shop = await serveShop();
    const rows = Array.from({ length: 1_500 }, () => ({ text: 'same' }));
    const first = await collected(shop.api.notes.createMany(rows, { idempotencyKey: 'file' }), ({ id }) => id);
    const second = await collected(shop.api.notes.createMany(rows, { idempotencyKey: 'file' }), ({ id }) => id);
    assert.equal(new Set(first).size, 1_500);
    assert.deepEqual(second, first);
  });

  it('[MET-13] says what became of each row, over several requests', async () => {
    await using shop = await serveShop();
    const rows = function* (): Generator<{ text: string; mark: number }> {
      for (let mark = 0; mark < 2_500; mark += 1) yield { text: 'x', mark: mark === 1_200 ? 0.5 : mark };
    };
    const lines = await collected(shop.api.notes.createMany(rows()));
    assert.deepEqual(
      lines.map(({ line }) => line),
      Array.from({ length: 2_500 }, (_, index) => index + 1),
    );
    const failed = lines.filter(({ error }) => error !== null);
    assert.deepEqual(
      failed.map(({ line, error }) => [line, error?.code]),
      [[1_201, 'NOTE_INVALID']],
    );
    assert.equal(shop.sent.length, 3);
    const { page } = await shop.api.notes.page({ include_total: true });
    assert.equal(page.total_count, 2_499);
  });
});
