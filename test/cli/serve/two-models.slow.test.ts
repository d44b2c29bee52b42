import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, afterEach, describe, it, type TestContext } from 'node:test';
import { run } from '../../../src/cli/program.ts';
import { startPostgres } from '../../postgres-server.ts';
import { temporaryDirectory } from '../../temporary-directory.ts';
import { recordedTerminal } from '../recorded-terminal.ts';
import { killAll, type ServerProcess, startServer, waitUntilListening } from '../server-process.ts';

const OLD = `name: shop
resources:
  items:
    id: client
    schema:
      type: object
      required: [name, stock]
      properties: { name: { type: string }, colour: { type: string }, stock: { type: integer, default: 3 } }
`;
const NEW = `name: shop
resources:
  items:
    id: client
    sort: name
    schema:
      type: object
      required: [name, rank]
      properties:
        name: { type: string }
        size: { type: string }
        rank: { type: integer, default: 5 }
        tags: { type: array, items: { type: string } }
  notes:
    schema: { type: object, properties: { item_id: { type: string, x-references: items } } }
`;

type Side = 'old' | 'new';
type Values = Readonly<Record<string, unknown>>;

/** The values that instances of a model write next to the name, and those that they read of the other ones' rows. */
const WRITTEN: Readonly<Record<Side, Values>> = {
  old: { colour: 'red', stock: 9 },
  new: { size: 'L', rank: 1, tags: ['a'] },
};
const MISSING: Readonly<Record<Side, Values>> = {
  old: { colour: null, stock: 3 },
  new: { size: null, rank: 5, tags: [] },
};

const server = await startPostgres();
after(() => server.stop());

const started: ServerProcess[] = [];
afterEach(() => killAll(started.splice(0)));

interface Instance {
  readonly side: Side;
  readonly url: string;
  readonly process: ServerProcess;
}

/** Instances that serve a database, and clients that write to any of them and read from all. */
class Deployment {
  readonly #folder: string;
  readonly #database: string;
  readonly #instances: Instance[] = [];
  readonly #acknowledged = new Map<string, { readonly by: Side; name: string }>();
  #clients: Promise<void>[] = [];
  #isStopped = false;
  #writes = 0;

  constructor(context: TestContext, database: string) {
    this.#folder = temporaryDirectory(context);
    this.#database = database === '' ? path.join(this.#folder, 'shop.db') : database;
    for (const [name, text] of [
      ['old', OLD],
      ['new', NEW],
    ] as const)
      writeFileSync(this.file(name), text);
  }

  file(side: Side): string {
    return path.join(this.#folder, `${side}.yaml`);
  }

  async start(side: Side): Promise<Instance> {
    const child = startServer(this.#folder, [this.file(side), '--port', '0', '--database', this.#database]);
    started.push(child);
    const instance = { side, url: await waitUntilListening(child), process: child };
    this.#instances.push(instance);
    return instance;
  }

  /** Takes an instance out of the traffic, waits for the requests that it has, and stops it. */
  async stop(instance: Instance): Promise<void> {
    await this.pause();
    this.#instances.splice(this.#instances.indexOf(instance), 1);
    instance.process.child.kill('SIGTERM');
    assert.equal(await instance.process.exited, 0, instance.process.stderr());
    this.resume();
  }

  async migrate(side: Side, ...flags: readonly string[]): Promise<{ code: number; output: string }> {
    const terminal = recordedTerminal();
    const code = await run(['migrate', this.file(side), '--database', this.#database, ...flags], terminal);
    const { stdout, stderr } = terminal.written();
    return { code, output: stdout + stderr };
  }

  resume(): void {
    this.#isStopped = false;
    this.#clients = Array.from({ length: 4 }, (_, client) => this.#client(client));
  }

  async pause(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#clients);
  }

  /** Waits for so many further writes. */
  async traffic(writes: number): Promise<void> {
    const until = this.#writes + writes;
    while (this.#writes < until) await Promise.race([...this.#clients, new Promise((done) => setTimeout(done, 10))]);
  }

  /** Compares all rows that were acknowledged with what instances read, while no client writes. */
  async assertAllPaused(instances: readonly Instance[]): Promise<void> {
    await this.pause();
    for (const instance of instances) await this.#assertAll(instance);
    this.resume();
  }

  /** Page by page. */
  async #assertAll({ side, url }: Instance): Promise<void> {
    const found = new Map<string, Values>();
    for (let next: string | null = `${url}/v1/items?limit=100`; next !== null; ) {
      const page = (await (await request(next)).json()) as { data: Values[]; links: { next?: string | null } };
      for (const row of page.data) found.set(String(row['id']), row);
      next = page.links.next === undefined || page.links.next === null ? null : new URL(page.links.next, url).href;
    }
    assert.equal(found.size, this.#acknowledged.size);
    for (const [id, { by, name }] of this.#acknowledged) assertRow(found.get(id) ?? {}, { side, by, name });
  }

  async #client(client: number): Promise<void> {
    for (let at = 0; !this.#isStopped; at += 1) {
      const id = `${client}-${this.#writes}-${at}`;
      const writer = this.#pick(at);
      const other = this.#pick(at + 1);
      const body = { id, name: id, ...WRITTEN[writer.side] };
      if (!(await send(`${writer.url}/v1/items`, 'POST', body))) continue;
      const row = { by: writer.side, name: id };
      this.#acknowledged.set(id, row);
      this.#writes += 1;
      const tags = new Map<Instance, string>();
      for (const reader of this.#instances) tags.set(reader, await read(reader, { id, ...row }));
      if (!(await send(`${other.url}/v1/items/${id}`, 'PATCH', { name: `${id} changed` }))) continue;
      row.name = `${id} changed`;
      for (const [reader, tag] of tags) await read(reader, { id, ...row }, tag);
    }
  }

  #pick(at: number): Instance {
    return this.#instances[at % this.#instances.length] ?? assert.fail('no instance');
  }
}

/** Sends a request, again where the connection was idle for so long that the server closed it. */
async function request(url: string, options: RequestInit = {}): Promise<Response> {
  try {
    return await fetch(url, options);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return fetch(url, options);
  }
}

/** @returns whether the write was acknowledged: a 503 says that it was not */
async function send(url: string, method: string, body: object): Promise<boolean> {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const headers = { 'content-type': type, 'idempotency-key': randomUUID() };
  const response = await request(url, { method, headers, body: JSON.stringify(body) });
  const text = await response.text();
  assert.ok(response.ok || response.status === 503, `${method} ${response.status} ${text}`);
  return response.ok;
}

/** Reads a row, which has changed since it had an ETag. @returns its ETag */
async function read(
  { side, url }: Instance,
  { id, by, name }: { readonly id: string; readonly by: Side; readonly name: string },
  tag = '""',
): Promise<string> {
  const response = await request(`${url}/v1/items/${id}`, { headers: { 'if-none-match': tag } });
  assert.equal(response.status, 200, `${side} instance, ${id}`);
  assertRow((await response.json()) as Values, { side, by, name });
  return response.headers.get('etag') ?? assert.fail('no ETag');
}

function assertRow(
  row: Values,
  { side, by, name }: { readonly side: Side; readonly by: Side; readonly name: string },
): void {
  const expected: Values = { name, ...(side === by ? WRITTEN[side] : MISSING[side]) };
  const seen = Object.fromEntries(Object.keys(expected).map((member) => [member, row[member]]));
  assert.deepEqual(seen, expected, `a row by the ${by} instance, read by the ${side} one`);
}

describe('a model that is deployed next to the one before it', () => {
  for (const kind of ['SQLite', 'PostgreSQL'] as const) {
    it(`[OPS-6] every acknowledged write is read by instances of both, on ${kind}, while clients write`, async (context) => {
      const deployment = new Deployment(context, kind === 'SQLite' ? '' : server.url(`two_models_${process.pid}`));
      const old = await deployment.start('old');
      deployment.resume();
      await deployment.traffic(30);
      const expanded = await deployment.migrate('new', '--phase', 'expand', '--apply');
      assert.equal(expanded.code, 0, expanded.output);
      await deployment.traffic(30);
      const next = await deployment.start('new');
      await deployment.traffic(60);
      const restarted = await deployment.start('old');
      await deployment.traffic(60);
      await deployment.assertAllPaused([old, next, restarted]);
      await deployment.stop(restarted);
      if (kind === 'PostgreSQL') {
        const refused = await deployment.migrate('new', '--phase', 'contract', '--apply', '--allow-data-loss');
        assert.equal(refused.code, 1);
        assert.match(refused.output, /Instances of the other model still have \d sessions?\. Stop them first\./);
      }
      await deployment.stop(old);
      await deployment.traffic(20);
      const lossy = await deployment.migrate('new', '--phase', 'contract', '--apply');
      assert.match(lossy.output, /items\.colour is dropped with \d+ values/);
      const contracted = await deployment.migrate('new', '--phase', 'contract', '--apply', '--allow-data-loss');
      assert.equal(contracted.code, 0, contracted.output);
      await deployment.traffic(20);
      await deployment.assertAllPaused([next]);
      assert.match((await deployment.migrate('new')).output, /matches/);
      await deployment.pause();
    });
  }
});
