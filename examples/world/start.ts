// The example in one step: `npm start` prepares the data, imports it and serves it. What it does is three commands of Restwright.
import path from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { run } from '../../src/cli/program.ts';
import { processTerminal, type Terminal } from '../../src/cli/terminal/terminal.ts';
import { collections, prepareWorld } from './prepare.ts';

const model = path.join(import.meta.dirname, 'model.yaml');

/**
 * Prepares the data and imports what the database does not hold yet.
 *
 * @param database the value of `--database`; undefined for its default
 * @returns the exit code of the first import that failed, else 0
 */
export async function importWorld(database: string | undefined, terminal: Terminal): Promise<number> {
  const files = await prepareWorld(path.join(import.meta.dirname, 'data'));
  for (const collection of collections) {
    const flags = database === undefined ? [] : ['--database', database];
    const code = await run(['import', model, collection, files[collection], ...flags], terminal);
    if (code !== 0) return code;
  }
  return 0;
}

if (import.meta.main) {
  const args = process.argv.slice(2);
  // Everything is passed on to `serve`, which judges it; of it all, the imports need to know the database.
  const { values } = parseArgs({ args, options: { database: { type: 'string' } }, strict: false });
  const database = typeof values.database === 'string' ? values.database : undefined;
  const terminal = processTerminal();
  const imported = await importWorld(database, terminal);
  process.exitCode = imported === 0 ? await run(['serve', model, ...args], terminal) : imported;
}
