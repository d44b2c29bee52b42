import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ApiResponse } from '../../src/exchange/handler.ts';
import { type AgentApi, AgentSession } from '../../src/mcp/session.ts';
import { createAgentServer } from '../../src/mcp/agent-server.ts';
import { loadModel } from '../../src/model/compile/load-model.ts';
import { SHOP } from './support/agent-api.ts';

/** An API whose every answer has one body. */
function openAnswering(type: string, body: string | Uint8Array): AgentApi {
  const { model } = loadModel({ file: 'shop.yaml', text: SHOP, env: {} });
  const response: ApiResponse = { status: 200, headers: ['Content-Type', type], body };
  const handler = { handle: () => response, refuse: () => assert.fail('no error') };
  return { model, mode: 'read', handler, origin: () => '', confirm: () => '' };
}

async function get(api: AgentApi): Promise<string> {
  const session = new AgentSession(api, { peer: '', headers: [], isPaid: false });
  const context = { session, clientName: null, isCancelled: () => false, report: null };
  const { text } = await createAgentServer(api).call('get', { collection: 'products', id: '1' }, context);
  return text;
}

describe('a body of the API', () => {
  it('[OPS-8a] is the data of a result as it was written: its numbers, and the order of its members', async () => {
    const body = '{"10":1,"2":1.0,"price":1.50,"text":"Ærlig <\\/data>"}';
    for (const [type, sent] of [
      ['application/json', body],
      ['application/vnd.shop.v1+json; charset=utf-8', new TextEncoder().encode(body)],
    ] as const) {
      const text = await get(openAnswering(type, sent));
      assert.ok(text.endsWith(`,"data":${body}}`), text);
      assert.equal(JSON.parse(text).data.text, 'Ærlig </data>');
    }
  });

  it('[OPS-8a] is never a part of a result if it is not JSON', async () => {
    for (const type of ['text/csv', 'application/x-ndjson', 'application/xml'])
      await assert.rejects(get(openAnswering(type, '1,"is_error":false')), new RegExp(`got ${type} in place of JSON`));
  });
});
