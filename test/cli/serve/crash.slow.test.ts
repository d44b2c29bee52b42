import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { after, describe, it } from 'node:test';
import { program } from '../server-process.ts';

const MODEL = `
name: shop
resources:
  products:
    schema: { type: object, required: [name], properties: { name: { type: string } } }
`;
const WRITERS = 16;
const KILLS = 5;

describe('a server that is killed while it writes', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'crash-'));
  after(() => rmSync(folder, { recursive: true }));
  writeFileSync(path.join(folder, 'shop.yaml'), MODEL);

  async function start(): Promise<{ child: ChildProcess; url: string }> {
    const child = spawn(process.execPath, [program, 'serve', 'shop.yaml', '--port', '0'], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [line]: string[] = await once(createInterface({ input: child.stdout }), 'line');
    return { child, url: `${(line ?? '').replace('listening on ', '')}/v1/products` };
  }

  /**
   * Creates products until the server is killed.
   *
   * @param acknowledge called for each of them
   * @returns the URLs of the acknowledged ones
   */
  async function write(url: string, writer: number, acknowledge: () => void): Promise<readonly string[]> {
    const acknowledged: string[] = [];
    for (;;) {
      try {
        const body = JSON.stringify({ name: `${writer}-${acknowledged.length}` });
        const response = await fetch(url, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
        if (response.status === 201) {
          acknowledged.push(response.headers.get('location') ?? '');
          acknowledge();
        }
        await response.arrayBuffer();
      } catch (error) {
        if (error instanceof TypeError) return acknowledged;
        throw error;
      }
    }
  }

  it('[OPS-4c] has stored and counted every resource that it returned 201 for', async () => {
    const acknowledged: string[] = [];
    for (let kill = 0; kill < KILLS; kill++) {
      const { child, url } = await start();
      // By what was written, and not by time: other programs may use the processor.
      let left = WRITERS * (2 + kill);
      const acknowledge = (): void => {
        left -= 1;
        if (left === 0) setTimeout(() => child.kill('SIGKILL'), Math.random() * 50);
      };
      const writers = Array.from({ length: WRITERS }, (_, writer) => write(url, writer, acknowledge));
      acknowledged.push(...(await Promise.all(writers)).flat());
    }

    const { child, url } = await start();
    for (const address of acknowledged) {
      const response = await fetch(new URL(address, url));
      await response.arrayBuffer();
      assert.equal(response.status, 200, address);
    }
    const counted: { page: { total_count: number } } = JSON.parse(await (await fetch(`${url}?page=1&limit=1`)).text());
    // A write whose response was cut off may be stored too.
    assert.ok(counted.page.total_count >= acknowledged.length);
    assert.ok(counted.page.total_count <= acknowledged.length + KILLS * WRITERS);
    child.kill('SIGTERM');
    assert.deepEqual(await once(child, 'exit'), [0, null]);
  });
});
