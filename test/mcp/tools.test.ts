import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { EDITIONS, openAgentApi } from './support/agent-api.ts';

describe('the tools of agents', () => {
  for (const edition of EDITIONS) {
    it(`create, read, change and delete a row in ${edition}`, async () => {
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
});
