import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import { describe, it } from 'node:test';
import { createFetchHandler } from '../../../src/http/fetch.ts';
import { createListener } from '../../../src/http/listener.ts';
import { apiUnderTest } from '../../pipeline/support/api-under-test.ts';
import { SHOP } from '../../pipeline/models/shop-model.ts';
import { follow } from './followed-feed.ts';

describe('the feed of a mounted API', () => {
  it('[EVT-8b] is served by a listener, and ends with the feeds of the API', async () => {
    await using api = await apiUnderTest(SHOP);
    const server = http.createServer(createListener(api.api)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    assert.ok(address !== null && typeof address === 'object');
    await using feed = await follow(address.port, '/api/v1/events');
    await api.send({ send: 'POST /api/v1/notes', body: { id: 'a' } });
    await feed.received(1);
    await api.api.endFeeds();
    await feed.ended;
    await using late = await follow(address.port, '/api/v1/events');
    await late.ended;
    assert.deepEqual([late.status, JSON.parse(late.text()).errorCode], [503, 'SERVER_UNAVAILABLE']);
    server.close();
  });

  it('[EVT-8b] is served by a fetch handler, and ends when its body is cancelled', async () => {
    await using api = await apiUnderTest(SHOP);
    const handle = createFetchHandler(api.api);
    const request = (): Request =>
      new Request('http://localhost:3000/api/v1/events', { headers: { Accept: 'text/event-stream' } });
    // More than one caller may have at a time.
    for (let round = 0; round < 6; round += 1) {
      const { status, body } = await handle(request(), { peer: '192.0.2.1' });
      assert.equal(status, 200);
      const reader = body?.getReader();
      assert.match(new TextDecoder().decode((await reader?.read())?.value), /^retry: 3000\n/);
      const waiting = reader?.read();
      await api.send({ send: 'POST /api/v1/notes', body: { id: `n${round}` } });
      assert.match(new TextDecoder().decode((await waiting)?.value), /\nevent: note\.created\n/);
      await reader?.cancel();
    }
  });
});
