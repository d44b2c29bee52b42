import assert from 'node:assert/strict';
import { copyFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { it } from 'node:test';
import { programFile, skipWithout } from '../installed-programs.ts';
import { readOutput } from '../run-program.ts';
import { temporaryDirectory } from '../temporary-directory.ts';
import { REPORT, startLibrary } from './library-server.ts';

const here = path.join(import.meta.dirname, 'python');

it('[OPS-1a] a client of openapi-python-client passes mypy, and calls the server', {
  skip: skipWithout('openapi-python-client'),
}, async (context) => {
  const { description, env } = await startLibrary(context);
  const folder = temporaryDirectory(context);
  const bin = path.dirname(programFile('openapi-python-client') ?? '');
  const run = (command: readonly string[]): Promise<string> =>
    readOutput(command, { folder, env: { ...env, PATH: `${bin}:${process.env['PATH']}` } });
  writeFileSync(path.join(folder, 'openapi.json'), description);
  const options = ['--meta', 'none', '--config', path.join(here, 'config.yaml')];
  await run(['openapi-python-client', 'generate', '--path', 'openapi.json', '--output-path', 'library', ...options]);
  copyFileSync(path.join(here, 'use_client.py'), path.join(folder, 'use_client.py'));
  await run(['python', '-m', 'compileall', '-q', 'library']);
  await run(['mypy', '--strict', '--follow-imports', 'silent', 'use_client.py']);
  assert.deepEqual(JSON.parse(await run(['python', 'use_client.py'])), REPORT);
});
