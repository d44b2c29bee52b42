import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { describe, it, type TestContext } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { killAll, startServer, waitUntilListening } from '../cli/server-process.ts';
import { skipWithoutFile } from '../installed-programs.ts';
import { runProgram } from '../run-program.ts';
import { temporaryDirectory } from '../temporary-directory.ts';
import { SHOP } from './support/agent-api.ts';

const modules = path.join(import.meta.dirname, '..', '..', '.cache', 'agents', 'node_modules');
const skip = skipWithoutFile(modules, 'the judges of MCP are');

/** Checks that need tools of a server that is made for them. */
const NEED_TOOLS = [
  'sep-2575-server-rejects-undeclared-capability',
  'sep-2575-missing-capability-http-400',
  'sep-2575-http-server-no-independent-requests-on-stream',
  'sep-2575-server-no-log-without-loglevel',
];

/** The scenarios that need no tools, prompts and resources of the tests themselves. */
const SCENARIOS = [
  ['conformance-2025', [], ['server-initialize', 'ping', 'tools-list', 'resources-list', 'dns-rebinding-protection']],
  [
    'conformance-2026',
    ['--spec-version', '2026-07-28'],
    [
      'server-stateless',
      'tools-list',
      'resources-list',
      'prompts-list',
      'sep-2164-resource-not-found',
      'caching',
      'http-header-validation',
      'dns-rebinding-protection',
    ],
  ],
] as const;

/** Serves the shop to writers. @returns the URL of MCP */
async function serve(context: TestContext): Promise<string> {
  const folder = temporaryDirectory(context);
  writeFileSync(path.join(folder, 'shop.yaml'), SHOP);
  const server = startServer(folder, ['shop.yaml', '--port', '0', '--mcp', 'write']);
  context.after(() => killAll([server]));
  return `${await waitUntilListening(server)}/mcp`;
}

async function run(program: string, args: readonly string[]): Promise<string> {
  const { stdout, stderr } = await runProgram([process.execPath, path.join(modules, program), ...args], {
    folder: modules,
  });
  return stripVTControlCharacters(`${stdout}${stderr}`);
}

describe('the judges of the protocol', { skip }, () => {
  for (const [suite, options, scenarios] of SCENARIOS) {
    it(`[OPS-8a, OPS-8c] find no failure with ${suite}`, async (context) => {
      const url = (await serve(context)).replace('127.0.0.1', 'localhost');
      const program = path.join(suite, 'dist', 'index.js');
      for (const scenario of scenarios) {
        const output = await run(program, ['server', '--url', url, '--scenario', scenario, ...options]);
        assert.match(output, /\] SUCCESS /, `${scenario}:\n${output}`);
        const failed = [...output.matchAll(/\[(\S+) *\] FAILURE /g)].map(([, name]) => name ?? '');
        assert.deepEqual(
          failed.filter((name) => !NEED_TOOLS.includes(name)),
          [],
          `${scenario}:\n${output}`,
        );
      }
    });
  }
});
