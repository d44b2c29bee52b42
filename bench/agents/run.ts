// Measures a `get` by MCP next to the same GET: `node bench/agents/run.ts [requests]`. README.md describes the method.
import { writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import path from 'node:path';
import process from 'node:process';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { startServer } from '../server.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const COUNT = Number(process.argv[2] ?? 2_000);
const ROUNDS = 3;
const SESSIONS = 200;

const MODEL = `
name: shop
resources:
  products:
    id: client
    schema: { type: object, properties: { name: { type: string }, price: { type: number }, stock: { type: integer } } }
`;

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

const agent = new Agent({ keepAlive: true, maxSockets: 1 });

/** Sends one request on the kept connection. */
function send(url: string, headers: Readonly<Record<string, string>>, body: string | null): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const method = body === null ? 'GET' : 'POST';
  const sent = request(url, { agent, method, headers }, (response) => {
    let text = '';
    response.setEncoding('utf8').on('data', (chunk: string) => void (text += chunk));
    response.on('end', () => (response.statusCode === 200 ? resolve(text) : reject(new Error(text))));
  });
  sent.on('error', reject).end(body);
  return promise;
}

function writeCall(params: object): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

const folder = temporaryFolder();
const model = path.join(folder, 'shop.yaml');
writeFileSync(model, MODEL);
const server = await startServer({
  args: [
    path.join(import.meta.dirname, '../../bin/restwright.js'),
    'serve',
    model,
    '--port',
    '0',
    '--mcp',
    'write',
    '--database',
    path.join(folder, 'shop.db'),
  ],
  path: '/api/v1/products',
  compileCache: path.join(folder, 'cache'),
});
const origin = `http://127.0.0.1:${server.port}`;
const put = await fetch(`${origin}/api/v1/products/1`, {
  method: 'PUT',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({ name: 'Lamp', price: 49.9, stock: 3 }),
});
if (put.status !== 201) throw new Error(await put.text());

const json = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
const newest = { ...json, 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call', 'Mcp-Name': 'get' };
const before = { ...json, 'MCP-Protocol-Version': '2025-11-25' };
const call = { name: 'get', arguments: { collection: 'products', id: '1' } };
const rows: readonly (readonly [name: string, run: () => Promise<string>])[] = [
  ['GET', () => send(`${origin}/api/v1/products/1`, { Accept: 'application/json' }, null)],
  ['get, 2026-07-28', () => send(`${origin}/api/mcp`, newest, writeCall({ ...call, _meta: META }))],
  ['get, 2025-11-25', () => send(`${origin}/api/mcp`, before, writeCall(call))],
  [
    'get, with progress',
    () => send(`${origin}/api/mcp`, newest, writeCall({ ...call, _meta: { ...META, progressToken: 1 } })),
  ],
];
const costs = new Map(rows.map(([name]) => [name, [] as number[]]));
for (let round = 0; round <= ROUNDS; round += 1)
  for (const [name, run] of rows) {
    const start = server.cpu();
    for (let at = 0; at < COUNT; at += 1) await run();
    if (round > 0) costs.get(name)?.push((server.cpu() - start) / COUNT);
  }
const base = median(costs.get('GET') ?? []);
for (const [name, values] of costs)
  process.stdout.write(`${name}: ${median(values).toFixed(0)} µs, ${(median(values) / base).toFixed(2)} times\n`);

/** Connects, calls ten times and leaves. */
async function runSession(): Promise<void> {
  const client = new Client({ name: 'bench', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${origin}/api/mcp`)));
  for (let at = 0; at < 10; at += 1) await client.callTool(call);
  await client.close();
}

for (let part = 0; part < 4; part += 1) {
  for (let at = 0; at < SESSIONS / 4; at += 1) await runSession();
  const { anonymous } = server.memory();
  process.stdout.write(`${(part + 1) * (SESSIONS / 4)} sessions: ${anonymous.toFixed(0)} MiB\n`);
}
agent.destroy();
await server.stop();
