import assert from 'node:assert/strict';
import { Client, type CallToolResult, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createFetchHandler } from '../../../src/http/fetch.ts';
import { loadModel } from '../../../src/model/compile/load-model.ts';
import type { AgentMode } from '../../../src/mcp/tools.ts';
import type { Observation } from '../../../src/observe/observation.ts';
import { startApi, type StartApiOptions, type StartedApi } from '../../../src/start-api.ts';

export const SHOP = `
name: shop
title: Shop
resources:
  suppliers:
    id: { client: true, optional: true }
    schema:
      type: object
      description: Companies that deliver products.
      required: [name]
      properties: { name: { type: string }, country: { type: string } }
  products:
    search: [name]
    state: { field: status, initial: DRAFT, transitions: { DRAFT: [ACTIVE], ACTIVE: [CLOSED] } }
    schema:
      type: object
      required: [name]
      properties:
        name: { type: string, maxLength: 10000, description: The name that customers see. }
        sku: { type: string, x-unique: true }
        price: { type: string, format: decimal }
        stock: { type: integer, minimum: 0, default: 0 }
        status: { type: string, enum: [DRAFT, ACTIVE, CLOSED], default: DRAFT }
        tags: { type: array, items: { type: string } }
        supplier_id: { type: string, x-references: suppliers }
  reviews:
    parent: products
    on_parent_delete: cascade
    schema: { type: object, required: [stars], properties: { stars: { type: integer }, text: { type: string } } }
`;

/** The editions of the protocol that the official client speaks. */
export const EDITIONS = ['2026-07-28', '2025-11-25'] as const;
export type Edition = (typeof EDITIONS)[number];

/** The structured content of a result. It is untyped, because the assertions check it. */
type Content = ReturnType<typeof JSON.parse>;

/** A result, read. */
export interface SeenResult {
  readonly isError: boolean;
  readonly content: Content;
  readonly text: string;
}

/** An API with agents, without sockets. */
export interface AgentApiUnderTest extends AsyncDisposable {
  readonly started: StartedApi;
  readonly fetch: (request: Request) => Promise<Response>;
  readonly observations: readonly Observation[];
  /** Connects the official client. */
  connect(edition: Edition, headers?: Readonly<Record<string, string>>): Promise<AgentClient>;
  /** Sends a request of HTTP, below the version. */
  http(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<HttpSeen>;
}

export interface HttpSeen {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Content;
}

/** The official client, with the results of its calls read. */
export interface AgentClient extends AsyncDisposable {
  readonly client: Client;
  call(name: string, given?: Record<string, unknown>): Promise<SeenResult>;
}

/** Opens an API with agents in memory. */
export async function openAgentApi(
  mode: AgentMode | null = 'write',
  text: string = SHOP,
  options: Partial<StartApiOptions> = {},
): Promise<AgentApiUnderTest> {
  const { model } = loadModel({ file: 'shop.yaml', text, env: {} });
  const observations: Observation[] = [];
  const observe = (seen: Observation): void => void observations.push(seen);
  const started = await startApi({ model, database: ':memory:', mcp: mode, observe, ...options });
  const handle = createFetchHandler(started.api);
  const fetch = (request: Request): Promise<Response> => handle(request, { peer: '127.0.0.1' });
  const origin = 'http://localhost';
  return {
    started,
    fetch,
    observations,
    connect: (edition, headers = {}) => connect({ fetch, url: `${origin}/api/mcp`, edition, headers }),
    async http(method, path, body, headers = {}) {
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      const type = body === undefined ? {} : { 'Content-Type': 'application/json' };
      const request = new Request(`${origin}/api/v1${path}`, { method, headers: { ...type, ...headers }, ...sent });
      const response = await fetch(request);
      const received = await response.text();
      const parsed: Content = received === '' ? null : JSON.parse(received);
      return { status: response.status, headers: response.headers, body: parsed };
    },
    [Symbol.asyncDispose]: () => started.close(),
  };
}

interface ClientOptions {
  readonly fetch: (request: Request) => Promise<Response>;
  readonly url: string;
  readonly edition: Edition;
  readonly headers: Readonly<Record<string, string>>;
}

async function connect({ fetch, url, edition, headers }: ClientOptions): Promise<AgentClient> {
  const client = new Client(
    { name: 'test-agent', version: '1.0.0' },
    { versionNegotiation: { mode: edition === '2026-07-28' ? { pin: edition } : 'legacy' } },
  );
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    fetch: (target, init) => fetch(new Request(target, init)),
    requestInit: { headers },
  });
  await client.connect(transport);
  return {
    client,
    call: async (name, given = {}) => readResult(await client.callTool({ name, arguments: given })),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

/** Reads a result, whose text is its content as JSON. */
export function readResult(result: CallToolResult): SeenResult {
  const [block] = result.content;
  assert.equal(block?.type, 'text');
  const text = block.type === 'text' ? block.text : '';
  const parsed: Content = JSON.parse(text);
  assert.deepEqual(parsed, result.structuredContent);
  return { isError: result.isError === true, content: parsed, text };
}
