// Runs the requests of the tour and of the README: `node scripts/run.mjs scripts/tour.ts` writes the responses of this
// checkout into them.
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { copyFile, glob, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { writeWorld } from '../examples/world/prepare.ts';
import { importWorld } from '../examples/world/start.ts';
import type { Terminal } from '../src/cli/terminal/terminal.ts';
import { program, root } from './command.ts';

/** The origin in the pages. */
export const DOCUMENTED_ORIGIN = 'http://127.0.0.1:3000';
/** One request, as shell commands, and the response below it. */
const EXCHANGE = /```sh\n(?<request>.*?)```\n\n```http\n(?<answer>.*?)```/gs;
const BETWEEN = '\u{1e}';

/** Replaces the responses in a text by those of the server at `origin`. */
export async function answered(section: string, origin: string): Promise<string> {
  const shown = [...section.matchAll(EXCHANGE)].map(({ groups }) => ({
    request: groups?.['request'] ?? '',
    answer: groups?.['answer'] ?? '',
  }));
  const answers = await ask(
    shown.map(({ request }) => request),
    origin,
  );
  let index = 0;
  return section.replace(EXCHANGE, () => {
    const { request, answer } = shown[index] ?? { request: '', answer: '' };
    const fresh = showAnswer(answers[index] ?? '', headerNames(answer));
    index += 1;
    return `\`\`\`sh\n${request}\`\`\`\n\n\`\`\`http\n${fresh}\`\`\``;
  });
}

/** A page whose requests are run, and the server that they are for. */
export interface RequestPage {
  readonly file: string;
  readonly serve: (page: string) => Promise<PageServer>;
}

const README = 'README.md';
const TOUR = 'docs/guides/tour.md';

/** The tour of the example. */
export const TOUR_PAGE: RequestPage = { file: TOUR, serve: () => serveWorld(importWhole) };

/** The README, which shows its model. */
export const README_PAGE: RequestPage = { file: README, serve: (page) => serveModel(page) };

/** The tour on the few cities that its requests find. The import of all 171,075 rows takes 30 s. */
export const SMALL_TOUR: RequestPage = { file: TOUR, serve: () => serveWorld(importPart) };

/** The README's requests, for a server on another store. @param database its URL */
export function readmeOn(database: string): RequestPage {
  return { file: README, serve: (page) => serveModel(page, database) };
}

/** The part of a page with the requests. */
export function findRequests(page: string): string {
  const [, part] = /<!-- requests -->(.*)<!-- \/requests -->/s.exec(page) ?? [];
  if (part === undefined) throw new Error('the page has no part between <!-- requests --> and <!-- /requests -->');
  return part;
}

/** Runs all requests in one shell, so that later ones can use its variables. @returns the raw responses */
export async function ask(requests: readonly string[], origin: string): Promise<readonly string[]> {
  const commands = requests.map((request) => request.replaceAll(DOCUMENTED_ORIGIN, origin));
  const script = ['set -eu', 'curl() { command curl -sS "$@"; }', commands.join(`printf '${BETWEEN}'\n`)].join('\n');
  const shell = spawn('sh', ['-c', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [output, [code]] = await Promise.all([text(shell.stdout), once(shell, 'close')]);
  if (code !== 0) throw new Error(`the shell ended with ${String(code)}`);
  return output.split(BETWEEN);
}

/**
 * A response as a page shows it: status, some of its fields, and the body, with `…` for values that change.
 *
 * @param names of the fields, in lower case
 * @param write the body as JSON; indented by default
 */
export function showAnswer(
  answer: string,
  names: ReadonlySet<string>,
  write: (body: unknown) => string = (body) => indented(body),
): string {
  const [head = '', body = ''] = answer.split(/\r\n\r\n(.*)/s);
  const [status = '', ...fields] = head.split('\r\n');
  const shown = fields.filter((field) => names.has((field.split(':', 1)[0] ?? '').toLowerCase())).map(withoutChange);
  const blank = body === '' ? [] : ['', write(JSON.parse(body))];
  return `${[status.trim(), ...shown, ...blank].join('\n')}\n`;
}

function headerNames(answer: string): ReadonlySet<string> {
  const [head = ''] = answer.split('\n\n');
  return new Set(
    head
      .split('\n')
      .slice(1)
      .map((field) => (field.split(':', 1)[0] ?? '').toLowerCase()),
  );
}

const WIDTH = 110;
const CHANGING = new Set([
  'after',
  'created_at',
  'updated_at',
  'expires_at',
  'ETag',
  'revision',
  'timestamp',
  'correlationId',
  'next_cursor',
  'prev_cursor',
]);

/** JSON on as few lines as fit the width. */
function indented(value: unknown, margin = '', lead = 0): string {
  const flat = oneLine(value);
  if (margin.length + lead + flat.length <= WIDTH || typeof value !== 'object' || value === null) return flat;
  const inner = `${margin}  `;
  if (Array.isArray(value)) {
    return `[\n${value.map((item) => inner + indented(item, inner)).join(',\n')}\n${margin}]`;
  }
  const members = Object.entries(value).map(([name, member]) => {
    const label = `${JSON.stringify(name)}: `;
    return inner + label + (changes(name, member) ? oneLine(member, name) : indented(member, inner, label.length));
  });
  return `{\n${members.join(',\n')}\n${margin}}`;
}

/** JSON on one line, with `…` for values that change. @param name of the member whose value it is */
export function oneLine(value: unknown, name = ''): string {
  if (changes(name, value)) return typeof value === 'string' ? '"…"' : '…';
  if (Array.isArray(value)) return `[${value.map((item) => oneLine(item)).join(', ')}]`;
  if (typeof value !== 'object' || value === null)
    return JSON.stringify(typeof value === 'string' ? withoutChange(value) : value);
  const members = Object.entries(value).map(
    ([member, inner]) => `${JSON.stringify(member)}: ${oneLine(inner, member)}`,
  );
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

function changes(name: string, value: unknown): boolean {
  return CHANGING.has(name) && value !== null;
}

/** Replaces generated ids, cursors and the values of ETags by `…`. */
function withoutChange(value: string): string {
  return value
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '…')
    .replaceAll(/\bafter=[\w-]+/g, 'after=…')
    .replace(/^(etag): ".*"$/i, '$1: "…"');
}

/** A server for the requests of a page, on temporary data. */
export interface PageServer {
  readonly origin: string;
  close(): Promise<void>;
}

/** Serves the model of the example. @param fill puts its rows in a new database */
async function serveWorld(fill: (database: string) => Promise<void>): Promise<PageServer> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'restwright-world-'));
  const database = path.join(folder, 'world.db');
  await fill(database);
  return serveIn(folder, 'examples/world/model.yaml', database);
}

/** Serves the model of a page. @param database empty; by default a new file */
async function serveModel(page: string, database?: string): Promise<PageServer> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'restwright-model-'));
  const model = path.join(folder, 'model.yaml');
  await writeFile(model, /```yaml\n(.*?)```/s.exec(page)?.[1] ?? '');
  return serveIn(folder, model, database ?? path.join(folder, 'model.db'));
}

/** @param folder removed when the server is closed */
async function serveIn(folder: string, model: string, database: string): Promise<PageServer> {
  const args = [program, 'serve', model, '--port', '0', '--database', database];
  const server = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'ignore'] });
  const closed = once(server, 'close');
  return {
    origin: await readOrigin(server),
    async close() {
      server.kill('SIGTERM');
      await closed;
      await rm(folder, { recursive: true });
    },
  };
}

/** The origin of a server, from the line that it prints when it listens. @throws {Error} it ends before */
export async function readOrigin(server: ChildProcess): Promise<string> {
  if (server.stdout === null) throw new Error('the server has no standard output');
  for await (const line of createInterface({ input: server.stdout })) {
    const [, origin] = /^listening on (http:\/\/[^/]+)/.exec(line) ?? [];
    if (origin !== undefined) return origin;
  }
  throw new Error('the server ended before it listened');
}

/** Imports the countries, the regions and the cities that the tour finds. */
async function importPart(database: string): Promise<void> {
  const folder = path.join(path.dirname(database), 'data');
  const files = await writeWorld(folder, ({ name, country_id }) => country_id === 'NO' || /malm[oö]/i.test(name));
  await importInto(database, files);
}

/** Copies a database with all of the example's data, which this checkout imports once. */
async function importWhole(copy: string): Promise<void> {
  const folder = path.join(root, 'examples', 'world', 'data');
  const key = createHash('sha256');
  const sources: string[] = [];
  for await (const source of glob(['examples/world/{model.yaml,prepare.ts}', 'src/stores/**/*.ts'], { cwd: root }))
    sources.push(source);
  for (const source of sources.sort()) key.update(await readFile(path.join(root, source)));
  const database = path.join(folder, `untouched-${key.digest('hex').slice(0, 16)}.db`);
  for await (const old of glob('untouched-*', { cwd: folder })) {
    if (!old.startsWith(path.basename(database))) await rm(path.join(folder, old));
  }
  await importInto(database);
  await copyFile(database, copy);
}

async function importInto(database: string, files?: Parameters<typeof importWorld>[2]): Promise<void> {
  const code = await importWorld(`sqlite:${database}`, quiet, files);
  if (code !== 0) throw new Error(`the import of the example ended with ${code}`);
}

const quiet: Terminal = {
  env: {},
  stdout: { write: () => true },
  stderr: process.stderr,
  stream: process.stdout,
  stopSignal: () => new AbortController().signal,
};

if (import.meta.main) {
  for (const { file, serve } of [TOUR_PAGE, README_PAGE]) {
    const page = await readFile(path.join(root, file), 'utf8');
    const server = await serve(page);
    try {
      const shown = findRequests(page);
      const fresh = await answered(shown, server.origin);
      // A string in place of the function would be a pattern, in which $ has a meaning.
      await writeFile(
        path.join(root, file),
        page.replace(shown, () => fresh),
      );
    } finally {
      await server.close();
    }
  }
}
