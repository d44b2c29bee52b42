import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { killAll, startServer, waitUntilListening } from '../cli/server-process.ts';
import { readCommands, readPage } from '../guides/guide-pages.ts';
import { skipWithout } from '../installed-programs.ts';
import { replaced } from '../replaced.ts';
import { temporaryDirectory } from '../temporary-directory.ts';

const MODEL =
  'name: shop\nresources: { notes: { schema: { type: object, properties: { text: { type: string } } } } }\n';

async function create(url: string, text: string): Promise<string> {
  const response = await fetch(`${url}/v1/notes`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ text }),
  });
  assert.equal(response.status, 201);
  const { id } = (await response.json()) as { readonly id: string };
  return id;
}

describe('a backup of a database that is served', { skip: skipWithout('sqlite3') }, () => {
  it('[OPS-4a] has every write that was acknowledged before, while others go on', async (t) => {
    const folder = temporaryDirectory(t);
    writeFileSync(path.join(folder, 'shop.yaml'), MODEL);
    mkdirSync(path.join(folder, 'backup'));
    const served = startServer(folder, ['shop.yaml', '--port', '0', '--database', 'shop.db']);
    const started = [served];
    try {
      const url = await waitUntilListening(served);
      const before = await Promise.all(Array.from({ length: 200 }, (_, at) => create(url, `before ${at}`)));
      const writing = new AbortController();
      const others = (async () => {
        for (let at = 0; !writing.signal.aborted; at += 1) await create(url, `meanwhile ${at}`);
      })();
      const [command = ''] = readCommands(readPage('docs/guides/deploy.md')).filter((each) =>
        each.startsWith('sqlite3 '),
      );
      const here = replaced(command, [
        ['/var/lib/restwright/shop.db', path.join(folder, 'shop.db')],
        ['/backup/', `${folder}/backup/`],
      ]);
      execFileSync('sh', ['-ec', here]);
      writing.abort();
      await others;
      const restored = startServer(folder, ['shop.yaml', '--port', '0', '--database', 'backup/shop.db']);
      started.push(restored);
      const copy = await waitUntilListening(restored);
      for (const id of before) assert.equal((await fetch(`${copy}/v1/notes/${id}`)).status, 200);
    } finally {
      await killAll(started);
    }
  });
});
