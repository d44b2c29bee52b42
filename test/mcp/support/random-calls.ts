import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { StartApiOptions } from '../../../src/start-api.ts';
import { type AgentApiUnderTest, type AgentClient, type Edition, openAgentApi, SHOP } from './agent-api.ts';

/** A call, and the same request of HTTP. */
interface Pair {
  readonly tool: string;
  readonly given: Record<string, unknown>;
  readonly send: readonly [method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>];
}

const FIELDS = ['name', 'sku', 'price', 'stock', 'status', 'supplier_id', 'created_at', 'nmae'];
const field = fc.constantFrom(...FIELDS);
const operator = fc.constantFrom('', '[ne]', '[gte]', '[lt]', '[exists]', '[contains]', '[odd]');
const value = fc.oneof(
  fc.constantFrom('Lamp', 'a,b&c=d', 'ACTIVE', '5', '2.50', 'true', 'Ærlig ☃', '%zz', ''),
  fc.string({ unit: 'grapheme', maxLength: 8 }).filter((text) => text.isWellFormed()),
);

const query = fc
  .record({
    filters: fc.dictionary(
      fc.tuple(field, operator).map(([name, by]) => name + by),
      value,
      { maxKeys: 3 },
    ),
    sort: fc.option(fc.constantFrom('name', '-created_at,name', '-stock', 'odd'), { nil: undefined }),
    fields: fc.option(fc.constantFrom('name', 'name,price', 'odd'), { nil: undefined }),
    limit: fc.constantFrom(0, 1, 3, 100, 1_000),
  })
  .map(({ filters, ...given }): Pair => {
    const parameters = new URLSearchParams(filters);
    for (const [name, text] of Object.entries(given)) if (text !== undefined) parameters.set(name, String(text));
    return {
      tool: 'query',
      given: { collection: 'products', filters, ...given },
      send: ['GET', `/products?${parameters.toString()}`],
    };
  });

/** Ids of rows that are there, and others. */
function rowPairs(ids: readonly string[]): fc.Arbitrary<Pair> {
  const id = fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...ids) }, { weight: 1, arbitrary: value });
  const data = fc.record(
    { name: value, stock: fc.integer({ min: -2, max: 9 }), price: value, nmae: value, status: value },
    { requiredKeys: [] },
  );
  const path = (each: string): string => `/products/${encodeURIComponent(each)}`;
  const get = id
    .filter((each) => each !== '' && each !== '.')
    .map((each): Pair => ({ tool: 'get', given: { collection: 'products', id: each }, send: ['GET', path(each)] }));
  const update = fc.tuple(fc.constantFrom(...ids), data, fc.constantFrom(1, 2, 3, 99)).map(
    ([each, changed, revision]): Pair => ({
      tool: 'update',
      given: { collection: 'products', id: each, data: changed, if_match: revision, dry_run: true },
      send: ['PATCH', `${path(each)}?dry_run=true`, changed, { 'If-Match': `"${revision}"` }],
    }),
  );
  const create = data.map(
    (made): Pair => ({
      tool: 'create',
      given: { collection: 'products', data: made, dry_run: true },
      send: ['POST', '/products?dry_run=true', made],
    }),
  );
  return fc.oneof(query, get, update, create);
}

/** Members that differ between two requests. */
const DIFFERENT = ['correlationId', 'timestamp', 'id', 'created_at', 'updated_at', 'self', 'reviews'];

/** Leaves out what differs between two requests. PostgreSQL gives no number twice: not to two dry runs either. */
function comparable(body: unknown, { given }: Pair): unknown {
  const different = new Set(given['dry_run'] === true ? [...DIFFERENT, 'revision'] : DIFFERENT);
  return JSON.parse(JSON.stringify(body ?? null, (name, held) => (different.has(name) ? undefined : held)));
}

async function assertSame(pair: Pair, api: AgentApiUnderTest, agent: AgentClient): Promise<void> {
  const seen = await agent.call(pair.tool, pair.given);
  const { status, body } = await api.http(...pair.send);
  assert.equal(seen.isError, status >= 400, seen.text);
  const expected = status >= 400 ? body : pair.tool === 'query' ? body.data : body;
  assert.deepEqual(comparable(seen.isError ? seen.content.error : seen.content.data, pair), comparable(expected, pair));
  if (pair.tool === 'query' && status < 400) assert.deepEqual(seen.content.page, body.page);
}

/** Compares random reads and dry runs with the same requests of HTTP, and their errors. */
export async function checkRandomCalls(
  edition: Edition,
  numRuns: number,
  options: Partial<StartApiOptions> = {},
): Promise<void> {
  await using api = await openAgentApi('write', SHOP, options);
  await using agent = await api.connect(edition);
  const ids: string[] = [];
  for (const name of ['Lamp', 'a,b&c=d', 'Ærlig ☃', '5'])
    ids.push((await api.http('POST', '/products', { name, stock: ids.length, price: '2.50' })).body.id);
  await fc.assert(
    fc.asyncProperty(rowPairs(ids), (pair) => assertSame(pair, api, agent)),
    { numRuns },
  );
}
