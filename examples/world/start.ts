// `npm start`: prepares the data, then runs `restwright import` and `restwright serve`.
import path from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { run } from '../../src/cli/program.ts';
import { processTerminal, type Terminal } from '../../src/cli/terminal/terminal.ts';
import { type Collection, collections, prepareWorld } from './prepare.ts';

const model = path.join(import.meta.dirname, 'model.yaml');

/**
 * Prepares the data and imports the rows that the database does not have yet. Their events are left out: no consumer
 * exists before the first start.
 *
 * @param database the value of `--database`; undefined for its default
 * @param prepared NDJSON files to import in place of all rows
 * @returns the exit code of the first import that failed, else 0
 */
export async function importWorld(
  database: string | undefined,
  terminal: Terminal,
  prepared?: Readonly<Record<Collection, string>>,
): Promise<number> {
  const files = prepared ?? (await prepareWorld(path.join(import.meta.dirname, 'data')));
  for (const collection of collections) {
    const flags = database === undefined ? [] : ['--database', database];
    const code = await run(['import', model, collection, files[collection], '--no-events', ...flags], terminal);
    if (code !== 0) return code;
  }
  return 0;
}

if (import.meta.main) {
  const args = process.argv.slice(2);
  // `serve` validates all arguments; the imports need only the database.
  const { values } = parseArgs({ args, options: { database: { type: 'string' } }, strict: false });
  const database = typeof values.database === 'string' ? values.database : undefined;
  const terminal = processTerminal();
  const imported = await importWorld(database, terminal);
  process.exitCode = imported === 0 ? await run(['serve', model, ...args], terminal) : imported;
}
