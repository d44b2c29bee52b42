import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { after, before, describe, it } from 'node:test';
import Database from 'better-sqlite3';
import { program } from '../server-process.ts';

const DECIMALS = ['a', 'b', 'c', 'd', 'e'];
const ROWS = 2_000_000;
/** Decimals inside an object have no index, so that sorting by them takes several seconds. */
const HEAVY = `sort=${DECIMALS.map((name) => `size.${name}`).join()}`;
const DECIMAL = '{ type: string, format: decimal }';

const model = (limits: string): string => `
name: shop
limits: ${limits}
resources:
  products:
    schema:
      type: object
      properties:
        size: { type: object, properties: { ${DECIMALS.map((name) => `${name}: ${DECIMAL}`).join(', ')} } }
`;

const FILL = `
  insert into products (id, size, created_at, updated_at, revision)
  with recursive numbers (number) as (select 1 union all select number + 1 from numbers limit ${ROWS})
  select format('p%07d', number), json_object(${DECIMALS.map((name) => `'${name}', '1.' || number % 7`).join(', ')}), number, number, number
  from numbers`;

describe('a server whose queries exceed the statement timeout', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'heavy-'));
  const started: ChildProcess[] = [];
  after(() => {
    for (const child of started) child.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  });

  async function start(limits: string): Promise<{ child: ChildProcess; url: string }> {
    writeFileSync(path.join(folder, 'shop.yaml'), model(limits));
    const child = spawn(process.execPath, [program, 'serve', 'shop.yaml', '--port', '0'], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    started.push(child);
    const [line]: string[] = await once(createInterface({ input: child.stdout }), 'line');
    return { child, url: `${(line ?? '').replace('listening on ', '')}/v1/products` };
  }

  async function stop(child: ChildProcess): Promise<readonly unknown[]> {
    child.kill('SIGTERM');
    return once(child, 'exit');
  }

  before(async () => {
    const { child } = await start('{}');
    assert.deepEqual(await stop(child), [0, null]);
    const database = new Database(path.join(folder, 'data', 'shop.db'));
    database.exec('begin');
    database.exec(FILL);
    database.prepare("update restwright_counts set count = ? where resource <> ''").run(ROWS);
    database.prepare("update restwright_counts set change = ? where resource = ''").run(ROWS);
    database.exec('commit');
    database.close();
  });

  it('[QRY-3] interrupts the query, serves other requests meanwhile, and the next query on the same threads', async () => {
    const { child, url } = await start('{ statement_timeout: 1s }');
    const heavy = Promise.all(
      [1, 2].map(async () => {
        const response = await fetch(`${url}?${HEAVY}`);
        return [response.status, JSON.parse(await response.text()).errorCode];
      }),
    );
    const done = heavy.then(() => true);
    let responses = 0;
    const readOne = async (): Promise<boolean> => {
      const response = await fetch(`${url}/p0000001`);
      await response.arrayBuffer();
      assert.equal(response.status, 200);
      return false;
    };
    while (!(await Promise.race([done, readOne()]))) responses += 1;
    assert.deepEqual(await heavy, [
      [503, 'SERVER_TIMEOUT'],
      [503, 'SERVER_TIMEOUT'],
    ]);
    // One request at a time: a thread that waited for a query would answer one of them at most.
    assert.ok(responses > 10, `${responses} responses meanwhile`);
    const next = await fetch(`${url}?sort=revision&limit=1`);
    assert.deepEqual([next.status, JSON.parse(await next.text()).data[0].id], [200, 'p0000001']);
    assert.deepEqual(await stop(child), [0, null]);
  });

  it('[LIM-3] exits with 0 after its shutdown timeout, even while a query runs', async () => {
    const { child, url } = await start('{ statement_timeout: 1h, shutdown_timeout: 200ms }');
    const cut = assert.rejects(fetch(`${url}?${HEAVY}`), TypeError);
    await (await fetch(`${url}/p0000001`)).arrayBuffer();
    const startTime = performance.now();
    assert.deepEqual(await stop(child), [0, null]);
    assert.ok(performance.now() - startTime < 2_000, `it took ${performance.now() - startTime} ms`);
    await cut;
  });
});
