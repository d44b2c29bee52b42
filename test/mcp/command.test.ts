import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { describe, it } from 'node:test';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { root } from '../../scripts/command.ts';
import { program, startProgram } from '../cli/server-process.ts';
import { temporaryDirectory } from '../temporary-directory.ts';
import { EDITIONS, readResult, SHOP } from './support/agent-api.ts';

/** A module by which a process finds no package of the protocol, as where it is not installed. */
const WITHOUT_PACKAGE = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  registerHooks({
    resolve(specifier, context, next) {
      return next(specifier.startsWith('@modelcontextprotocol/server') ? 'missing-package' : specifier, context);
    },
  });`)}`;

describe('restwright mcp', () => {
  for (const edition of EDITIONS) {
    it(`[OPS-8a] serves the official client by standard streams in ${edition}`, async (context) => {
      const folder = temporaryDirectory(context);
      const model = path.join(folder, `${edition}.yaml`);
      await writeFile(model, SHOP);
      const database = path.join(folder, `${edition}.db`);
      const transport = new StdioClientTransport({
        command: process.execPath,
        args: [program, 'mcp', model, '--mcp', 'write', '--database', database],
        stderr: 'pipe',
      });
      const mode = edition === '2026-07-28' ? { pin: edition } : ('legacy' as const);
      const client = new Client({ name: 'desk', version: '1.0.0' }, { versionNegotiation: { mode } });
      await client.connect(transport);
      const given = { collection: 'suppliers', data: { name: 'x' }, idempotency_key: 'k' };
      const made = readResult(await client.callTool({ name: 'create', arguments: given }));
      assert.equal(made.content.data.name, 'x', made.text);
      assert.equal((await client.listTools()).tools.length, 8);
      await client.close();
    });
  }

  for (const args of [['mcp'], ['serve', '--port', '0', '--mcp', 'read']]) {
    it(`[OPS-8a] names the package that ${args[0]} needs, and the line that installs it`, async (context) => {
      const folder = temporaryDirectory(context);
      await writeFile(path.join(folder, 'shop.yaml'), SHOP);
      const [command = '', ...options] = args;
      const started = [program, command, 'shop.yaml', '--database', 'shop.db', ...options];
      const missing = startProgram(folder, started, { NODE_OPTIONS: `--import=${WITHOUT_PACKAGE}` });
      assert.equal(await missing.exited, 1);
      assert.match(missing.stderr(), /@modelcontextprotocol\/server: run `npm install @modelcontextprotocol\/server`/);
      assert.equal(missing.stdout(), '');
    });
  }

  it('ends at a signal that came before it served', { timeout: 60_000 }, async (context) => {
    const folder = temporaryDirectory(context);
    await writeFile(path.join(folder, 'shop.yaml'), SHOP);
    const moduleUrl = (file: string): string => JSON.stringify(pathToFileURL(path.join(root, file)).href);
    const code = `import { run } from ${moduleUrl('src/cli/program.ts')};
      import { recordedTerminal } from ${moduleUrl('test/cli/recorded-terminal.ts')};
      const terminal = recordedTerminal();
      terminal.stop.abort('SIGTERM');
      process.exit(await run(['mcp', 'shop.yaml', '--database', 'shop.db'], terminal));`;
    // Its input stays open: the signal alone ends it.
    const args = ['--input-type=module', '-e', code];
    const child = spawn(process.execPath, args, { cwd: folder, stdio: ['pipe', 'ignore', 'inherit'] });
    context.after(() => child.kill('SIGKILL'));
    assert.deepEqual(await once(child, 'exit'), [0, null]);
  });
});
