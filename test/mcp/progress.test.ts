import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createAgentServer } from '../../src/mcp/agent-server.ts';
import { AgentSession } from '../../src/mcp/session.ts';
import type { RawRequest } from '../../src/exchange/handler.ts';
import { loadModel } from '../../src/model/compile/load-model.ts';
import { SHOP } from './support/agent-api.ts';

/** An API whose one request ends when the test says so. */
function openHanging() {
  const { promise, resolve } = Promise.withResolvers<void>();
  const requests: RawRequest[] = [];
  const { model } = loadModel({ file: 'shop.yaml', text: SHOP, env: {} });
  const response = { status: 200, headers: [], body: '{"data":[],"page":{"has_more":false}}' };
  const api = {
    model,
    mode: 'read' as const,
    origin: () => 'http://localhost',
    confirm: () => '',
    handler: {
      handle: async (request: RawRequest) => {
        requests.push(request);
        await promise;
        return response;
      },
      refuse: () => assert.fail('nothing is refused'),
    },
  };
  return { api, requests, finish: resolve };
}

describe('a call that takes long', () => {
  it('[OPS-8a] reports each second that it runs, if the client asks for it, and ends its timer', async () => {
    const { api, finish } = openHanging();
    let tick = (): void => assert.fail('no timer');
    let stopped = 0;
    const server = createAgentServer(api, (milliseconds, run) => {
      assert.equal(milliseconds, 1_000);
      tick = run;
      return () => void (stopped += 1);
    });
    const seen: number[] = [];
    const session = new AgentSession(api, { peer: '', headers: [], isPaid: false });
    const context = { session, clientName: 'x', isCancelled: () => false, report: (s: number) => void seen.push(s) };
    const result = server.call('query', { collection: 'products' }, context);
    tick();
    tick();
    finish();
    assert.deepEqual(JSON.parse((await result).text).data, []);
    assert.deepEqual([seen, stopped], [[1, 2], 1]);
  });

  it('[OPS-8a] tells the request that its client has cancelled it', async () => {
    const { api, requests, finish } = openHanging();
    const server = createAgentServer(api);
    let cancelled = false;
    const session = new AgentSession(api, { peer: '', headers: [], isPaid: false });
    const context = { session, clientName: null, isCancelled: () => cancelled, report: null };
    const result = server.call('query', { collection: 'products' }, context);
    assert.equal(requests[0]?.client?.destroyed, false);
    cancelled = true;
    assert.equal(requests[0]?.client?.destroyed, true);
    finish();
    await result;
  });
});
