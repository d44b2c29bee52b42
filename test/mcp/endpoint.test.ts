import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AgentPackageMissing } from '../../src/mcp/sdk.ts';
import { fakeTokens } from '../pipeline/support/fake-tokens.ts';
import { type AgentApiUnderTest, EDITIONS, openAgentApi, SHOP } from './support/agent-api.ts';

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

const AUTH = `
public_url: https://shop.example.com
auth: { issuers: [{ name: id, issuer: https://id.example.com, audience: https://shop.example.com/api, jwks_uri: https://id.example.com/k }] }
limits: { rate: { requests: 5, per: 60s } }
`;

/** Sends a message as a client of the newest edition does. */
async function post(
  api: AgentApiUnderTest,
  message: unknown,
  headers: Readonly<Record<string, string>> = {},
  url = 'http://localhost/api/mcp',
) {
  const body = typeof message === 'string' ? message : JSON.stringify(message);
  const standard = {
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    'MCP-Protocol-Version': '2026-07-28',
    'Mcp-Method': 'tools/list',
  };
  const response = await api.fetch(new Request(url, { method: 'POST', headers: { ...standard, ...headers }, body }));
  const text = await response.text();
  return { status: response.status, headers: response.headers, text };
}

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: META } };

describe('the endpoint of agents', () => {
  it('[OPS-8c] is off by default, and takes POST alone', async () => {
    await using off = await openAgentApi(null);
    assert.equal((await post(off, LIST)).status, 404);
    await using api = await openAgentApi('read');
    assert.equal((await post(api, LIST)).status, 200);
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const response = await api.fetch(new Request('http://localhost/api/mcp', { method }));
      assert.deepEqual([response.status, response.headers.get('allow')], [405, 'POST, OPTIONS']);
    }
    assert.equal((await post(api, LIST, {}, 'http://localhost/api/v1/mcp')).status, 404);
  });

  it('[OPS-8c] refuses pages of other sites, batches of messages, other types and what is no JSON', async () => {
    await using api = await openAgentApi();
    assert.equal((await post(api, LIST, { Origin: 'http://localhost' })).status, 200);
    for (const Origin of ['https://evil.example.com', 'null', 'http://localhost.evil.example.com'])
      assert.equal((await post(api, LIST, { Origin })).status, 403, Origin);
    assert.match((await post(api, [LIST, LIST])).text, /-32600.*batches/);
    assert.equal((await post(api, '{"jsonrpc":')).status, 400);
    assert.match((await post(api, '{"id":1,"id":2}')).text, /-32700/);
    assert.equal((await post(api, LIST, { 'Content-Type': 'text/plain' })).status, 415);
    assert.equal((await post(api, ' '.repeat(3_000_000))).status, 413);
  });

  it('[OPS-8c] has no sessions, so that their ids change nothing', async () => {
    await using api = await openAgentApi();
    const { status, headers } = await post(api, LIST, { 'Mcp-Session-Id': 'stolen' });
    assert.deepEqual([status, headers.get('mcp-session-id'), headers.get('cache-control')], [200, null, 'no-store']);
    assert.equal((await post(api, { ...LIST, method: 'tools/call' })).status, 400);
    assert.equal((await post(api, LIST, { 'MCP-Protocol-Version': '2024-11-05' })).status, 400);
    const listen = { ...LIST, method: 'subscriptions/listen', params: { _meta: META, notifications: {} } };
    const heard = await post(api, listen, { 'Mcp-Method': 'subscriptions/listen' });
    assert.match(heard.text, /subscriptions\/acknowledged/);
  });

  for (const edition of EDITIONS) {
    it(`[OPS-8c] has the credentials, scopes and policies of its caller in ${edition}`, async () => {
      await using api = await openAgentApi('write', SHOP + AUTH, { tokens: fakeTokens });
      const url = 'http://localhost/api/mcp';
      const anonymous = await api.fetch(new Request(url, { method: 'POST', body: '{}' }));
      assert.equal(anonymous.status, 401);
      const challenge = anonymous.headers.get('www-authenticate') ?? '';
      const metadata = 'https://shop.example.com/.well-known/oauth-protected-resource/api';
      assert.ok(challenge.includes(metadata), challenge);
      const found = await api.fetch(new Request(metadata.replace('https://shop.example.com', 'http://localhost')));
      assert.match(await found.text(), /"resource":"https:\/\/shop.example.com\/api"/);
      await using agent = await api.connect(edition, { Authorization: 'Bearer ann.suppliers_read' });
      assert.deepEqual((await agent.call('query', { collection: 'suppliers' })).content.data, []);
    });
  }

  it('[OPS-8c] refuses what the scopes of the caller do not allow, as HTTP does', async () => {
    await using api = await openAgentApi('write', SHOP + AUTH, { tokens: fakeTokens });
    await using agent = await api.connect('2026-07-28', { Authorization: 'Bearer ann.suppliers_read' });
    const refused = await agent.call('create', { collection: 'suppliers', data: { name: 'x' }, idempotency_key: 'k' });
    assert.equal(refused.content.error.errorCode, 'AUTH_SCOPE_INSUFFICIENT', refused.text);
    assert.match(refused.content.error.errorMessage, /suppliers:write/);
    assert.match(refused.content.next, /do not try again/);
  });

  it('[OPS-8c] takes one unit of the rate for each call', async () => {
    await using api = await openAgentApi('write', SHOP + AUTH, { tokens: fakeTokens });
    await using agent = await api.connect('2026-07-28', { Authorization: 'Bearer bea.suppliers_read' });
    const left: (string | null)[] = [];
    for (let at = 0; at < 3; at += 1) {
      assert.equal((await agent.call('query', { collection: 'suppliers' })).isError, false);
      const { headers } = await api.http('GET', '/suppliers', undefined, {
        Authorization: 'Bearer bea.suppliers_read',
      });
      left.push(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1] ?? null);
      if (at === 1) break;
    }
    // One for the start of the connection, then two for each round.
    assert.deepEqual(left, ['2', '0']);
  });

  it('[OPS-8c] names the agent in events: by its credentials, or as it names itself', async () => {
    await using open = await openAgentApi();
    for (const edition of EDITIONS) {
      await using agent = await open.connect(edition);
      await agent.call('create', { collection: 'suppliers', data: { name: 'x' }, idempotency_key: edition });
    }
    await open.http('POST', '/suppliers', { name: 'y' });
    const { body } = await open.http('GET', '/events');
    assert.deepEqual(
      body.data.map((event: { readonly metadata: { readonly caller: object } }) => event.metadata.caller),
      ['mcp:test-agent', 'mcp', null].map((client) => ({ issuer: null, subject: null, client })),
    );
    await using api = await openAgentApi('write', SHOP + AUTH, { tokens: fakeTokens });
    const headers = { Authorization: 'Bearer ann~app.suppliers_read+suppliers_write+events_read' };
    await using agent = await api.connect('2026-07-28', headers);
    await agent.call('create', { collection: 'suppliers', data: { name: 'x' }, idempotency_key: 'k' });
    const [event] = (await api.http('GET', '/events', undefined, headers)).body.data;
    assert.deepEqual(event.metadata.caller, { issuer: 'test', subject: 'ann', client: 'app' });
  });

  it('[OPS-8c] logs the message and the request that it makes under one correlation id', async () => {
    await using api = await openAgentApi();
    const call = { name: 'query', arguments: { collection: 'suppliers' }, _meta: META };
    await post(
      api,
      { ...LIST, method: 'tools/call', params: call },
      { 'Mcp-Method': 'tools/call', 'Mcp-Name': 'query', 'X-Correlation-ID': 'trace-me' },
    );
    const requests = api.observations.filter((seen) => seen.kind === 'request');
    assert.deepEqual(
      requests.map(({ correlationId }) => correlationId),
      ['trace-me', 'trace-me'],
    );
    assert.equal(requests[1]?.route, '/api/mcp');
  });

  it('[OPS-8a] says how to install the package that it needs', () => {
    assert.match(new AgentPackageMissing(null).message, /npm install @modelcontextprotocol\/server/);
  });

  it('[OPS-8c] refuses a model with a collection at its path', async () => {
    const text = 'name: x\nresources: { mcp: { singular: mcp_row, noun: true, schema: { type: object } } }';
    await assert.rejects(openAgentApi('read', text), /collection mcp/);
  });
});
