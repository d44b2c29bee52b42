import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it, type TestContext } from 'node:test';
import { buildConsole, programConsole, root } from '../../scripts/command.ts';
import { killAll, program, startProgram, startServer, waitUntilListening } from '../cli/server-process.ts';
import { type ProcessResult, RunningProcess } from '../package/sandbox.ts';
import { webhookSecret } from '../../src/conventions/events/webhook-signature.ts';
import { startPostgres } from '../postgres-server.ts';
import { temporaryDirectory } from '../temporary-directory.ts';
import { readBlocks, readCommands, PAGES, readPage } from './guide-pages.ts';

const OPENAPI = `openapi: 3.1.0
info: { title: Pets, version: 1.0.0 }
components: { schemas: { Pet: { type: object, properties: { name: { type: string } } } } }
`;

/** A model with a version to which a database can go back. */
const VERSIONED = `name: shop
version: 2.0.0
default_version: 1
resources:
  products: { schema: { type: object, required: [name], properties: { name: { type: string } } } }
versions:
  1.4.0: { changes: [{ resource: products, rename: { title: name } }] }
`;

/** The tables of another program. */
const TABLES = `create table film (film_id integer primary key, title text not null);
create table film_text (film_id integer primary key, text text);
create table actor (actor_id integer primary key, name text)`;

/** A model over them. */
const FILMS = `name: shop
resources:
  films: { table: film, schema: { type: object, properties: { title: { type: string } } } }
`;

/** A folder with the files that the guides name. @param commands that are run in it @returns its path */
function folderOfReader(context: TestContext, page = '', commands: readonly string[] = []): string {
  const started = readPage('docs/guides/getting-started.md');
  const [db = ''] = readBlocks(started, 'json');
  const shop = readBlocks(started, 'yaml').find((block) => block.startsWith('name: shop')) ?? assert.fail('no shop');
  const [till = ''] = readBlocks(readPage('docs/guides/typescript-models.md'), 'ts');
  const index = path.join(root, 'src', 'index.ts');
  const goesBack = commands.some((line) => line.includes('--to 1.4.0'));
  const files = {
    'db.json': db,
    'cities.csv': 'name,country\nOslo,NO\n',
    'shop.log': '{"event":"listening"}\n',
    'shop.yaml': goesBack ? VERSIONED : page.endsWith('/auth.md') ? `${shop}auth: { api_keys: true }\n` : shop,
    'published.yaml': shop,
    'shop.ts': till.replace("'restwright'", JSON.stringify(index)),
    'shop.mts': till.replace("'restwright'", JSON.stringify(index)),
    'more.csv': 'title\nUp\n',
    ...(commands.some((line) => line.includes(' init ')) ? {} : { 'films.yaml': FILMS }),
    'openapi.yaml': OPENAPI,
    'webhook.secret': webhookSecret(new Uint8Array(32).fill(7)),
  };
  const folder = temporaryDirectory(context);
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
  const database = new DatabaseSync(path.join(folder, 'shop.sqlite'));
  database.exec(TABLES);
  database.close();
  // The command under the names that the guides have for it.
  for (const name of ['restwright', 'bin/restwright.js', 'node_modules/.bin/restwright']) {
    const shim = path.join(folder, name === 'restwright' ? 'path/restwright' : name);
    mkdirSync(path.dirname(shim), { recursive: true });
    writeFileSync(shim, `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`, { mode: 0o755 });
  }
  return folder;
}

/** Runs a command line in a shell. */
function run(folder: string, line: string): Promise<ProcessResult> {
  const env = { ...process.env, PATH: `${path.join(folder, 'path')}${path.delimiter}${process.env['PATH']}` };
  return new RunningProcess(spawn('sh', ['-ec', line], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })).ended;
}

const postgres = await startPostgres();
after(() => postgres.stop());

/**
 * A command line with a schema of the test in place of the database of the guides.
 *
 * @param quote for a shell, of which `&` ends a command
 */
function onServer(line: string, quote = ''): string {
  return line.replace(
    'postgres://shop@db.example.com/shop',
    `${quote}${postgres.url(`guides_${process.pid}`)}${quote}`,
  );
}

/** Runs a command line of `serve` until it listens, and stops it. */
async function serve(folder: string, line: string): Promise<void> {
  const args = onServer(line).split(' ').slice(2);
  const server = startServer(folder, [...args, '--port', '0']);
  try {
    const url = await waitUntilListening(server);
    assert.equal((await fetch(url)).status, 200);
    server.child.kill('SIGTERM');
    assert.equal(await server.exited, 0, server.stderr());
  } finally {
    await killAll([server]);
  }
}

/** Runs a command line of `listen` until it listens, and stops it. */
async function listen(folder: string, line: string): Promise<void> {
  const receiver = startProgram(folder, [program, ...line.split(' ').slice(1), '--port', '0']);
  try {
    const url = await waitUntilListening(receiver);
    assert.equal((await fetch(url, { method: 'POST' })).status, line.includes('--secret-file') ? 400 : 204);
    receiver.child.kill('SIGTERM');
    assert.equal(await receiver.exited, 0, receiver.stderr());
  } finally {
    await killAll([receiver]);
  }
}

const isOurs = (line: string): boolean => /^(?:\S*\/)?restwright(?:\.js)? /.test(line);
/** `restwright import [MODEL] COLLECTION FILE`: shows which arguments there are. */
const isSynopsis = (line: string): boolean => /[[\\]| [A-Z]+\b/.test(line);

/**
 * The command lines of a page that a reader runs one after the other: those of a block, and each one in a sentence. A
 * server in the background belongs to requests.test.ts.
 */
function readSequences(page: string): readonly (readonly string[])[] {
  const text = readPage(page);
  const inSentences = [...text.matchAll(/`(restwright [a-z]+ [^`]+)`/g)].map(([, line = '']) => [line]);
  const inBlocks = readBlocks(text, 'sh').map((block) => readCommands(`\`\`\`sh\n${block}\`\`\``).filter(isOurs));
  return [...inBlocks, ...inSentences]
    .map((lines) => lines.filter((line) => !isSynopsis(line) && !line.endsWith(' &')))
    .filter((lines) => lines.length > 0);
}

describe('the commands of the guides', { timeout: 240_000 }, () => {
  // A clean checkout has no files of the console, which one page serves.
  before(() => {
    if (!existsSync(programConsole)) buildConsole(programConsole);
  });

  for (const page of PAGES)
    for (const lines of readSequences(page))
      it(`can be run: ${lines.join('; ')} (${page})`, async (context) => {
        const folder = folderOfReader(context, page, lines);
        for (const line of lines) {
          if (/restwright(?:\.js)? serve(?! -h)/.test(line)) {
            await serve(folder, line);
            continue;
          }
          if (/restwright(?:\.js)? listen(?! -h)/.test(line)) {
            await listen(folder, line);
            continue;
          }
          const { code, stderr } = await run(folder, onServer(line, "'").replace(/ \| source$/, ''));
          assert.equal(code, 0, `${line}: ${stderr}`);
        }
      });

  for (const command of ['import', 'export'])
    it(`have the options of the command: ${command}`, async (context) => {
      const synopsis = readCommands(readPage('docs/guides/import-and-export.md')).find(
        (line) => line.startsWith(`restwright ${command} `) && isSynopsis(line),
      );
      const { stdout } = await run(folderOfReader(context), `restwright help ${command}`);
      const options = (text = ''): readonly string[] => [...new Set(text.match(/--[a-z-]+/g) ?? [])].toSorted();
      const listed = stdout.match(/^ {2}(?:-\w, )?--[a-z-]+/gm)?.join();
      assert.deepEqual(
        options(synopsis),
        options(listed).filter((name) => name !== '--help'),
      );
    });
});
