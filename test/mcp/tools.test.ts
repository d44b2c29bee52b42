import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { EDITIONS, openAgentApi } from './support/agent-api.ts';

describe('the tools of agents', () => {
  for (const edition of EDITIONS) {
    it(`[OPS-8a] create, read, change and delete a row in ${edition}`, async () => {
      await using api = await openAgentApi();
      await using agent = await api.connect(edition);
      assert.deepEqual(
        (await agent.client.listTools()).tools.map(({ name }) => name),
        ['list_collections', 'describe', 'query', 'get', 'create', 'update', 'delete', 'batch'],
      );
      const made = await agent.call('create', { collection: 'products', data: { name: 'Lamp' }, idempotency_key: 'a' });
      assert.equal(made.isError, false, made.text);
      const { id, revision } = made.content.data;
      const target = { collection: 'products', id };
      assert.deepEqual((await agent.call('get', target)).content.data, made.content.data);
      const changed = await agent.call('update', { ...target, data: { stock: 3 }, if_match: revision });
      assert.equal(changed.content.data.stock, 3, changed.text);
      const page = await agent.call('query', { collection: 'products', filters: { 'stock[gte]': 3 } });
      assert.deepEqual(page.content.data, [changed.content.data]);
      assert.equal(page.content.page.has_more, false);
      const gone = { ...target, if_match: changed.content.data.revision };
      const { confirm } = (await agent.call('delete', { ...gone, dry_run: true })).content;
      assert.equal((await agent.call('delete', gone)).isError, true);
      const deleted = await agent.call('delete', { ...gone, confirm });
      assert.equal(deleted.isError, false, deleted.text);
      assert.equal((await api.http('GET', `/products/${id}`)).status, 404);
    });
  }

  it('[OPS-8a] are annotated, and those that write are listed for writers alone', async () => {
    await using api = await openAgentApi('read');
    await using agent = await api.connect('2026-07-28');
    const { tools } = await agent.client.listTools();
    assert.deepEqual(
      tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint]),
      [
        ['list_collections', true],
        ['describe', true],
        ['query', true],
        ['get', true],
      ],
    );
    const refused = await agent.call('create', { collection: 'products', data: { name: 'x' }, idempotency_key: 'k' });
    assert.equal(refused.isError, true);
    assert.match(refused.content.error.errorMessage, /read-only.*--mcp write/);
    assert.equal((await api.http('GET', '/products')).body.data.length, 0);
  });

  it('[OPS-8a] name collections, nested ones by their path', async () => {
    await using api = await openAgentApi();
    await using agent = await api.connect('2026-07-28');
    const { data } = (await agent.call('list_collections')).content;
    assert.deepEqual(data, [
      { collection: 'suppliers', description: 'Companies that deliver products.' },
      { collection: 'products' },
      { collection: 'products/{product_id}/reviews' },
    ]);
    const { body: product } = await api.http('POST', '/products', { name: 'Lamp' });
    const collection = `products/${product.id}/reviews`;
    const made = await agent.call('create', { collection, data: { stars: 4 }, idempotency_key: 'r' });
    assert.equal(made.content.data.product_id, product.id, made.text);
    const lost = await agent.call('query', { collection: 'reviews' });
    assert.match(lost.content.error.errorMessage, /products\/\{product_id\}\/reviews/);
  });

  it('[OPS-8a] describe a collection: fields, filters, states, relations and errors', async () => {
    await using api = await openAgentApi();
    await using agent = await api.connect('2026-07-28');
    const { data } = (await agent.call('describe', { collection: 'products' })).content;
    assert.equal(data.fields.name, 'string maxLength 10000, required: The name that customers see.');
    assert.equal(data.fields.status, '"DRAFT" | "ACTIVE" | "CLOSED", default "DRAFT"');
    assert.equal(data.fields.supplier_id, 'id of suppliers');
    assert.deepEqual(data.states, { field: 'status', initial: 'DRAFT', moves: { DRAFT: 'ACTIVE', ACTIVE: 'CLOSED' } });
    assert.match(data.errors, /PRODUCT_NOT_FOUND.*PRODUCT_INVALID.*PRODUCT_ALREADY_EXISTS/);
    assert.equal(data.children, 'products/{product_id}/reviews');
    assert.match(data.search, /name/);
  });

  it('[OPS-8a] return small pages, which cursors continue', async () => {
    await using api = await openAgentApi();
    await using agent = await api.connect('2026-07-28');
    for (let at = 0; at < 12; at += 1) await api.http('POST', '/suppliers', { id: `${at + 10}`, name: `S${at}` });
    const first = (await agent.call('query', { collection: 'suppliers', sort: 'id' })).content;
    assert.deepEqual([first.data.length, first.page.has_more], [10, true]);
    const { next_cursor: cursor } = first.page;
    const second = (await agent.call('query', { collection: 'suppliers', cursor })).content;
    assert.deepEqual([second.data.length, second.page.has_more], [2, false]);
    const foreign = await agent.call('query', { collection: 'products', cursor });
    assert.equal(foreign.content.error.errorCode, 'PAGINATION_CURSOR_INVALID');
    const other = await agent.call('query', { collection: 'suppliers', cursor, filters: { name: 'S1' } });
    assert.equal(other.content.error.errorCode, 'PAGINATION_CURSOR_MISMATCH');
    assert.match(other.content.next, /cursor/);
  });

  it('[OPS-8a] send queries that no URL can hold', async () => {
    await using api = await openAgentApi();
    await using agent = await api.connect('2026-07-28');
    await api.http('POST', '/suppliers', { id: '7', name: 'x' });
    const id = Array.from({ length: 400 }, (_, at) => `supplier-${at}`);
    const found = await agent.call('query', { collection: 'suppliers', filters: { id: [...id, '7'] } });
    assert.deepEqual(
      found.content.data?.map((row: { readonly id: string }) => row.id),
      ['7'],
      found.text,
    );
  });

  it('[OPS-8a] show rows by their URL as resources', async () => {
    await using api = await openAgentApi();
    await using agent = await api.connect('2026-07-28');
    const { body } = await api.http('POST', '/suppliers', { id: 'a/b c', name: 'x' });
    const { resources } = await agent.client.listResources();
    assert.deepEqual(
      resources.map(({ uri }) => uri),
      ['http://localhost/api/v1/suppliers', 'http://localhost/api/v1/products'],
    );
    for (const uri of [body.links.self, `http://localhost${body.links.self}`]) {
      const { contents } = await agent.client.readResource({ uri });
      assert.deepEqual(
        contents.map((each) => ('text' in each ? JSON.parse(each.text) : null)),
        [body],
      );
    }
    for (const uri of ['/metrics', '/api/v1/../../metrics', '/api/v1/suppliers/none', 'file:///etc/passwd'])
      await assert.rejects(agent.client.readResource({ uri }), /not found/i, uri);
    assert.deepEqual((await agent.client.listPrompts()).prompts, []);
  });
});
