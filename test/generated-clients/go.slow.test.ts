import assert from 'node:assert/strict';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { it } from 'node:test';
import { programFile, skipWithout } from '../installed-programs.ts';
import { readOutput } from '../run-program.ts';
import { temporaryDirectory } from '../temporary-directory.ts';
import { REPORT, startLibrary } from './library-server.ts';

it('[OPS-1a] a client of oapi-codegen passes go vet, and calls the server', {
  skip: skipWithout('go', 'oapi-codegen'),
}, async (context) => {
  const { description, env } = await startLibrary(context);
  const folder = temporaryDirectory(context);
  const go = programFile('go') ?? '';
  const run = (...command: readonly string[]): Promise<string> =>
    readOutput(command, { folder, env: { ...env, GOTOOLCHAIN: 'local', GOFLAGS: '-mod=readonly', GOPROXY: 'off' } });
  cpSync(path.join(import.meta.dirname, 'go'), folder, { recursive: true });
  mkdirSync(path.join(folder, 'library'));
  writeFileSync(path.join(folder, 'openapi.json'), description);
  await run(programFile('oapi-codegen') ?? '', '-config', 'oapi-codegen.yaml', 'openapi.json');
  await run(go, 'vet', '.');
  await run(go, 'build', '-o', 'client', '.');
  assert.deepEqual(JSON.parse(await run(path.join(folder, 'client'))), REPORT);
});
