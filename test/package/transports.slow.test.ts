import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { describe, it } from 'node:test';
import { mounts } from '../pipeline/transports.ts';

const root = path.join(import.meta.dirname, '..', '..');
/** The share of requests that must use the transport: those that it cannot express call the API directly. */
const LEAST = 0.9;

/** Milliseconds for one run of the suite, on two cores that other tests use too. */
const SUITE_TIMEOUT = 900_000;

interface Count {
  readonly carried: number;
  readonly spared: number;
}

/** Runs the HTTP suite through one transport. */
async function run(
  transport: string,
  report: string,
  signal: AbortSignal,
): Promise<{ readonly code: number; readonly output: string }> {
  const { NODE_TEST_CONTEXT: _context, ...env } = process.env;
  const files = globSync('test/pipeline/*.test.ts', { cwd: root }).filter((file) => !file.endsWith('.slow.test.ts'));
  const child = spawn(process.execPath, ['--test', ...files], {
    cwd: root,
    signal,
    env: { ...env, RESTWRIGHT_TRANSPORT: transport, RESTWRIGHT_TRANSPORT_REPORT: report },
  });
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  const [code] = (await once(child, 'close')) as [number];
  return { code, output: Buffer.concat(chunks).toString() };
}

describe('the whole HTTP suite', () => {
  for (const transport of mounts) {
    it(`passes through ${transport}`, { timeout: SUITE_TIMEOUT }, async ({ signal }) => {
      const folder = mkdtempSync(path.join(tmpdir(), 'restwright-'));
      const report = path.join(folder, 'counts');
      try {
        const { code, output } = await run(transport, report, signal);
        assert.equal(code, 0, output.slice(output.indexOf('failing tests')));
        const counts = readFileSync(report, 'utf8')
          .trim()
          .split('\n')
          .map((line): Count => JSON.parse(line));
        const carried = counts.reduce((sum, count) => sum + count.carried, 0);
        const spared = counts.reduce((sum, count) => sum + count.spared, 0);
        assert.ok(
          carried > 1_000 && carried / (carried + spared) > LEAST,
          `${carried} of ${carried + spared} requests`,
        );
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    });
  }
});
