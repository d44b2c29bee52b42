import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { run } from '../../../src/cli/program.ts';
import { loadModel } from '../../../src/model/compile/load-model.ts';
import { startApi } from '../../../src/start-api.ts';
import { createFetchHandler } from '../../../src/http/fetch.ts';
import { temporaryDirectory } from '../../temporary-directory.ts';
import { recordedTerminal } from '../recorded-terminal.ts';

const MODEL = 'name: shop\nauth: { api_keys: true }\nresources:\n  items:\n    schema: { type: object }\n';

describe('restwright key', () => {
  it('[AUTH-8b] makes a key that the server accepts, and prints it alone', async (test) => {
    const folder = temporaryDirectory(test);
    const file = path.join(folder, 'shop.yaml');
    const database = path.join(folder, 'shop.db');
    writeFileSync(file, MODEL);
    const terminal = recordedTerminal();
    const args = [file, '--subject', 'admin', '--scope', 'items:read', '--database', database];
    assert.equal(await run(['key', ...args], terminal), 0, terminal.written().stderr);
    const key = terminal.written().stdout.trim();
    assert.match(key, /^rw_[A-Za-z0-9_-]{43}$/);
    await using opened = await startApi({ model: loadModel({ text: MODEL }).model, database });
    const handle = createFetchHandler(opened.api);
    const status = async (token: string): Promise<number> => {
      const headers = { Authorization: `Bearer ${token}` };
      return (await handle(new Request('http://localhost/api/v1/items', { headers }))).status;
    };
    assert.deepEqual([await status(key), await status(key.replace(/.$/, key.endsWith('A') ? 'B' : 'A'))], [200, 401]);
  });

  it('[AUTH-8b] needs a subject, scopes, and a model with API keys', async (test) => {
    const file = path.join(temporaryDirectory(test), 'shop.yaml');
    writeFileSync(file, MODEL.replace('auth: { api_keys: true }\n', ''));
    const code = (...args: readonly string[]): Promise<number> => run(['key', file, ...args], recordedTerminal());
    assert.equal(await code('--scope', 'a'), 2);
    assert.equal(await code('--subject', 'a'), 2);
    assert.equal(await code('--subject', 'a', '--scope', 'a'), 1);
  });
});
