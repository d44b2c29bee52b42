import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { it } from 'node:test';

const root = path.join(import.meta.dirname, '..', '..', '..', '..');

it('all tests of stores pass with the driver node:sqlite', async () => {
  const { NODE_TEST_CONTEXT: _context, ...env } = process.env;
  const files = globSync('test/stores/**/*.test.ts', { cwd: root }).filter((file) => !file.endsWith('.slow.test.ts'));
  const child = spawn(process.execPath, ['--test', ...files], {
    cwd: root,
    env: { ...env, RESTWRIGHT_DRIVER: 'node' },
  });
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  const [code] = (await once(child, 'close')) as [number];
  const output = Buffer.concat(chunks).toString();
  assert.equal(code, 0, output.slice(output.indexOf('failing tests')));
  assert.ok(Number(/tests (\d+)/.exec(output)?.[1]) > 500, output.slice(-400));
});
