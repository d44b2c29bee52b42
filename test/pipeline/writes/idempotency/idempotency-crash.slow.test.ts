import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { describe, it, type TestContext } from 'node:test';
import Database from 'better-sqlite3';
import { storedEvents } from '../../../../scripts/stored-events.ts';

const program = path.join(import.meta.dirname, '..', '..', 'support', 'killed-after-commit.ts');
const KEY = { 'Idempotency-Key': '"9f1c"' };

interface Shop {
  /** Resolves with exit code and signal. */
  readonly exited: Promise<readonly unknown[]>;
  post(headers: Readonly<Record<string, string>>): Promise<Response>;
}

/** Starts a server on the database. It is stopped at the end of the test at the latest. */
async function start(context: TestContext, database: string, ...moment: readonly 'kill'[]): Promise<Shop> {
  const child = spawn(process.execPath, [program, database, ...moment], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  context.after(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  const lines: AsyncIterator<string> = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const { value: port, done } = await lines.next();
  assert.ok(done !== true, 'the server ended before it listened');
  return {
    exited,
    post: (headers) =>
      fetch(`http://127.0.0.1:${port}/api/v1/suppliers`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...headers },
        body: JSON.stringify({ name: 'Acme' }),
      }),
  };
}

interface Kept {
  /** Ids of all rows. */
  readonly rows: readonly string[];
  /** Ids of the rows in events. */
  readonly events: readonly string[];
}

function keptIn(database: string): Kept {
  const file = new Database(database, { readonly: true });
  const ids = (text: string): string[] => file.prepare<[], string>(text).pluck().all();
  const kept = {
    rows: ids('select id from suppliers'),
    events: storedEvents(database).map(({ event }) => event.payload.resource.id),
  };
  file.close();
  return kept;
}

describe('a server that is killed between the commit of a write and its response', () => {
  it('[MET-12] replays the stored result for the retried key, and writes nothing twice', async (context) => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'idempotency-crash-'));
    context.after(() => rmSync(folder, { recursive: true }));
    const database = path.join(folder, 'shop.db');

    const killed = await start(context, database, 'kill');
    await assert.rejects(killed.post(KEY), TypeError, 'no answer left');
    assert.deepEqual(await killed.exited, [null, 'SIGKILL']);

    const restarted = await start(context, database);
    const written = keptIn(database);
    const [id] = written.rows;
    assert.deepEqual(written, { rows: [id], events: [id] }, 'the write was committed');

    for (const attempt of ['first retry', 'second retry']) {
      const answer = await restarted.post(KEY);
      assert.equal(answer.status, 201, attempt);
      assert.equal(answer.headers.get('idempotent-replayed'), 'true', attempt);
      assert.equal(answer.headers.get('location'), `/api/v1/suppliers/${String(id)}`, attempt);
      const body: { readonly id: string; readonly name: string } = JSON.parse(await answer.text());
      assert.deepEqual([body.id, body.name], [id, 'Acme'], attempt);
    }
    assert.deepEqual(keptIn(database), written);

    const other = await restarted.post({ 'Idempotency-Key': 'another' });
    assert.deepEqual([other.status, other.headers.get('idempotent-replayed')], [201, null]);
    await other.arrayBuffer();
    assert.equal(keptIn(database).rows.length, 2);
  });
});
