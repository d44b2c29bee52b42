// Measures a `get` by MCP next to the same GET: `node bench/agents/run.ts [rounds]`. README.md describes the method.
import { writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import path from 'node:path';
import process from 'node:process';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { startServer } from '../server.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const ROUNDS = Number(process.argv[2] ?? 150);
/** Rounds that are not counted: V8 compiles in them. */
const WARM_UP = 100;
/** Requests of each kind in a round. */
const COUNT = 100;
const SESSIONS = 200;

const MODEL = `
name: shop
resources:
  products:
    id: client
    schema: { type: object, properties: { name: { type: string }, price: { type: number }, stock: { type: integer } } }
`;

/** Kinds of requests. */
type Kinds = readonly (readonly [name: string, run: () => Promise<string>])[];

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
const rows: Kinds = [
  ['GET', () => send(`${origin}/api/v1/products/1`, { Accept: 'application/json' }, null)],
  ['get, 2026-07-28', () => send(`${origin}/api/mcp`, newest, writeCall({ ...call, _meta: META }))],
  ['get, 2025-11-25', () => send(`${origin}/api/mcp`, before, writeCall(call))],
  [
    'get, with progress',
    () => send(`${origin}/api/mcp`, newest, writeCall({ ...call, _meta: { ...META, progressToken: 1 } })),
  ],
];
/** Runs requests of each kind by turns. @returns microseconds of a request of each, by round */
async function measure(kinds: Kinds, rounds: number): Promise<readonly (readonly number[])[]> {
  const costs = kinds.map((): number[] => []);
  for (let round = 0; round < WARM_UP + rounds; round += 1) {
    // The order changes, so that none always pays for the garbage of the same other one.
    const turns = kinds.map((_, at) => (at + round) % kinds.length);
    for (const turn of turns) {
      const start = server.busy();
      for (let at = 0; at < COUNT; at += 1) await kinds[turn]?.[1]();
      if (round >= WARM_UP) costs[turn]?.push((server.busy() - start) / COUNT);
    }
  }
  return costs;
}

/** Prints the cost of each kind, next to that of the first one in the same rounds. */
function print(kinds: Kinds, costs: readonly (readonly number[])[]): void {
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  for (const [at, [name]] of kinds.entries()) {
    const values = costs[at] ?? [];
    const ratios = values.map((value, round) => value / (costs[0]?.[round] ?? 0)).toSorted((a, b) => a - b);
    const [low, middle, high] = [0.25, 0.5, 0.75].map((share) => ratios[Math.floor(share * ratios.length)]?.toFixed(2));
    const total = (mean(values) / mean(costs[0] ?? [])).toFixed(2);
    process.stdout.write(
      `${name}: ${mean(values).toFixed(0)} µs, ${total} times (by round: ${middle}, quartiles ${low} and ${high})\n`,
    );
  }
}

const plain = rows.slice(0, 3);
print(plain, await measure(plain, ROUNDS));
// By itself: its garbage would burden the others.
const reported = [...rows.slice(0, 1), ...rows.slice(3)];
print(reported, await measure(reported, ROUNDS / 5));

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
