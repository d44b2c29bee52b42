import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { headerFields } from '../../src/conventions/headers/header-fields.ts';
import { readPlainCall } from '../../src/mcp/direct-call.ts';
import { openAgentApi } from './support/agent-api.ts';

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const FIELDS = {
  'Content-Type': 'application/json',
  Accept: 'application/json, text/event-stream',
  'MCP-Protocol-Version': '2026-07-28',
  'Mcp-Method': 'tools/call',
  'Mcp-Name': 'query',
};
const BEFORE = { ...FIELDS, 'MCP-Protocol-Version': '2025-11-25' };
const CALL = { name: 'query', arguments: { collection: 'suppliers' } };
const message = (params: object, id: unknown = 1) => ({ jsonrpc: '2.0', id, method: 'tools/call', params });

function isPlain(sent: object, fields: Readonly<Record<string, string>>): boolean {
  return readPlainCall(JSON.parse(JSON.stringify(sent)), headerFields(Object.entries(fields).flat())) !== null;
}

describe('a plain call of a tool', () => {
  it('[OPS-8a] is a call whose form leaves nothing to decide; others are left to the package of the protocol', () => {
    const newest = message({ ...CALL, _meta: META });
    assert.ok(isPlain(newest, FIELDS));
    assert.ok(isPlain(message(CALL, 'a'), BEFORE));
    const others: readonly (readonly [sent: object, fields: Readonly<Record<string, string>>])[] = [
      [newest, BEFORE],
      [message(CALL), FIELDS],
      [newest, { ...FIELDS, 'Mcp-Name': 'get' }],
      [newest, { ...FIELDS, 'Mcp-Method': 'tools/list' }],
      [newest, { ...FIELDS, Accept: 'application/json' }],
      [newest, { ...FIELDS, 'Content-Type': 'text/plain' }],
      [{ ...newest, method: 'tools/list' }, FIELDS],
      [{ ...newest, jsonrpc: '1.0' }, FIELDS],
      [{ ...newest, extra: 1 }, FIELDS],
      [message({ ...CALL, _meta: META }, null), FIELDS],
      [message({ ...CALL, _meta: META }, 1.5), FIELDS],
      [message({ ...CALL, name: 'odd', _meta: META }), { ...FIELDS, 'Mcp-Name': 'odd' }],
      [message({ ...CALL, arguments: [], _meta: META }), FIELDS],
      [message({ ...CALL, _meta: { ...META, progressToken: 1 } }), FIELDS],
      [message({ ...CALL, _meta: { progressToken: 1 } }), BEFORE],
      [message({ ...CALL, task: {} }), BEFORE],
      [message({ ...CALL, _meta: { ...META, 'io.modelcontextprotocol/clientCapabilities': { roots: 5 } } }), FIELDS],
      [message({ ...CALL, _meta: { ...META, 'io.modelcontextprotocol/clientInfo': { name: 'x' } } }), FIELDS],
    ];
    for (const [sent, fields] of others) assert.equal(isPlain(sent, fields), false, JSON.stringify([sent, fields]));
  });

  it('[OPS-8a] has the answer that the package gives', async () => {
    await using api = await openAgentApi();
    await api.http('POST', '/suppliers', { id: '1', name: 'Ærlig "x" </data>' });
    const post = async (params: object, fields: Readonly<Record<string, string>>): Promise<object> => {
      const body = JSON.stringify(message(params));
      const request = new Request('http://localhost/api/mcp', { method: 'POST', headers: fields, body });
      const text = await (await api.fetch(request)).text();
      const data = /^data: (.*)$/m.exec(text)?.[1] ?? text;
      return JSON.parse(data.replaceAll(/(correlationId|timestamp)\\?":\\?"[^"\\]*/g, '$1'));
    };
    const tools = [
      ['query', { collection: 'suppliers' }],
      ['get', { collection: 'suppliers', id: '1' }],
      ['describe', { collection: 'products' }],
    ] as const;
    for (const [name, given] of tools) {
      const params = { name, arguments: given };
      const fields = { ...FIELDS, 'Mcp-Name': name };
      // Progress is what the package alone reports.
      const reported = await post({ ...params, _meta: { ...META, progressToken: 1 } }, fields);
      assert.deepEqual(await post({ ...params, _meta: META }, fields), reported);
      const before = { ...fields, 'MCP-Protocol-Version': '2025-11-25' };
      const reportedBefore = await post({ ...params, _meta: { progressToken: 1 } }, before);
      assert.deepEqual(await post(params, before), reportedBefore);
    }
  });
});
