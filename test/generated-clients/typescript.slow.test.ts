import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { it, type TestContext } from 'node:test';
import { withOneMediaType } from '../../src/describe/openapi/one-media-type.ts';
import { skipWithout } from '../installed-programs.ts';
import { readOutput } from '../run-program.ts';
import { REPORT, startLibrary } from './library-server.ts';

const packages = path.join(import.meta.dirname, '..', '..', '.cache', 'generators');

/** The command of each generator, below node_modules, and the program that calls its client. */
const GENERATORS = {
  'openapi-typescript': {
    command: ['openapi-typescript/bin/cli.js', 'openapi.json', '--output', 'openapi-typescript/api.ts'],
    client: 'openapi-fetch',
  },
  '@hey-api/openapi-ts': { command: ['@hey-api/openapi-ts/bin/run.js'], client: 'hey-api' },
  orval: { command: ['orval/dist/bin/orval.mjs'], client: 'orval' },
} as const;

/** The programs of typescript/ in a folder where they find the installed packages. */
function programFolder(context: TestContext): string {
  const folder = mkdtempSync(path.join(packages, 'clients-'));
  context.after(() => rmSync(folder, { recursive: true }));
  cpSync(path.join(import.meta.dirname, 'typescript'), folder, { recursive: true });
  writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }\n');
  return folder;
}

it('[OPS-1a] TypeScript clients of three generators compile strictly, and call the server', {
  skip: skipWithout('orval'),
}, async (context) => {
  const { description, env } = await startLibrary(context);
  const folder = programFolder(context);
  writeFileSync(path.join(folder, 'openapi.json'), description);
  // The output of `restwright openapi --media-type application/json`.
  const json = withOneMediaType(JSON.parse(description), 'application/json');
  writeFileSync(path.join(folder, 'openapi-json.json'), JSON.stringify(json));
  const run = ([file = '', ...args]: readonly string[]): Promise<string> =>
    readOutput([process.execPath, path.join(packages, 'node_modules', file), ...args], { folder });
  for (const { command } of Object.values(GENERATORS)) await run(command);
  await run(['typescript/bin/tsc', '--project', '.']);
  for (const { client } of Object.values(GENERATORS)) {
    const printed = await readOutput([process.execPath, `compiled/${client}.js`], { folder, env });
    assert.deepEqual(JSON.parse(printed), REPORT, client);
  }
});
