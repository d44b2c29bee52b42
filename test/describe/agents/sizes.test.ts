import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { describeCollection } from '../../../src/describe/agents/describe-collection.ts';
import { writeLlmsText } from '../../../src/describe/agents/llms-text.ts';
import { describedContracts } from '../../../src/describe/described-contract.ts';
import { loadModel } from '../../../src/model/compile/load-model.ts';
import type { Model } from '../../../src/model/model.ts';
import { declareTool, listTools } from '../../../src/mcp/tools.ts';
import { openAgentApi, SHOP } from '../../mcp/support/agent-api.ts';

function measure(value: unknown): number {
  return Buffer.byteLength(typeof value === 'string' ? value : JSON.stringify(value));
}

/** A model with many collections of many fields, each with a long text. */
function largeModel(collections: number, fields: number): Model {
  const text = 'A text that says at length what this is for, with words that nobody needs to read twice. '.repeat(3);
  const property = { type: 'string', maxLength: 200, pattern: '^[A-Za-z0-9 ]*$', description: text };
  const states = Array.from({ length: 20 }, (_, at) => `STATE_${at}`);
  const status = { type: 'string', enum: states, default: 'STATE_0' };
  const properties = Object.fromEntries(Array.from({ length: fields }, (_, at) => [`some_field_${at}`, property]));
  const schema = { type: 'object', description: text, properties: { ...properties, status } };
  const transitions = Object.fromEntries(states.map((from) => [from, states.filter((to) => to !== from)]));
  const state = { field: 'status', initial: 'STATE_0', transitions };
  const resources = Object.fromEntries(
    Array.from({ length: collections }, (_, at) => [
      `some_things_${at}`,
      { singular: `some_thing_${at}`, schema, state },
    ]),
  );
  return loadModel({ file: 'large.json', text: JSON.stringify({ name: 'large', resources }), env: {} }).model;
}

function writeText(model: Model): string {
  const [newest] = describedContracts(model);
  return writeLlmsText(newest ?? assert.fail('a model has a contract'));
}

describe('the texts for agents', () => {
  it('[OPS-8a] list all tools in 2.5 kB, whatever the number of collections', () => {
    for (const mode of ['read', 'write'] as const)
      assert.ok(measure({ tools: listTools(mode).map(declareTool) }) <= 2_500, mode);
  });

  it('[OPS-8a] describe each collection in less than 1.5 kB', () => {
    for (const fields of [1, 3, 8, 20, 60, 400]) {
      const model = largeModel(1, fields);
      const [resource] = model.resources.values();
      const described = describeCollection(model, resource ?? assert.fail('no resource'));
      assert.ok(measure({ note: ' '.repeat(56), data: described }) < 1_500, `${fields} fields: ${measure(described)}`);
      assert.ok('some_field_0' in (described['fields'] as object));
    }
  });

  it('[OPS-8d] are 2 kB for a model of 1 or of 1,000 collections', () => {
    for (const collections of [1, 5, 100, 1_000]) {
      const text = writeText(largeModel(collections, 1));
      assert.ok(measure(text) <= 2_000, `${collections}: ${measure(text)}`);
      assert.match(text, /- some-things-0/);
    }
  });

  it('[OPS-8d] are served as text at the origin and next to the base path', async () => {
    await using api = await openAgentApi(null);
    for (const path of ['/llms.txt', '/llms.txt?api_version=1']) {
      const response = await api.fetch(new Request(`http://localhost${path}`));
      assert.deepEqual([response.status, response.headers.get('content-type')], [200, 'text/plain; charset=utf-8']);
      const text = await response.text();
      assert.match(text, /^# Shop\n\n> .*\/api\/v1/);
      assert.match(text, /- suppliers: Companies that deliver products\./);
      assert.match(text, /products\/\{product_id\}\/reviews/);
    }
    await using guarded = await openAgentApi(null, `${SHOP}\ndescriptions: authenticated\nauth: { api_keys: true }\n`);
    assert.equal((await guarded.fetch(new Request('http://localhost/llms.txt'))).status, 401);
  });

  it('[OPS-8d] are described in OpenAPI, but for generators of clients', async () => {
    await using api = await openAgentApi(null);
    const read = async (query: string): Promise<string> =>
      (await api.fetch(new Request(`http://localhost/openapi.json${query}`))).text();
    assert.match(await read(''), /"\/llms.txt"/);
    assert.doesNotMatch(await read('?profile=generators'), /llms/);
  });
});
