import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { programFile } from '../installed-programs.ts';
import { replaced } from '../replaced.ts';
import { freePort } from '../free-port.ts';
import { program } from '../cli/server-process.ts';

const root = path.join(import.meta.dirname, '..', '..');
const example = (file: string): Promise<string> => readFile(path.join(root, 'examples', 'caches', file), 'utf8');

/** Milliseconds in which a cache must listen. */
const START_TIMEOUT = 20_000;

export const cacheNames = ['nginx', 'varnish'] as const;
type CacheName = (typeof cacheNames)[number];

/** Programs that must be installed. */
export const cachePrograms = ['nginx', 'varnishd'] as const;

/** A server, and the caches of `examples/caches/` in front of it. */
export interface CacheServers extends AsyncDisposable {
  readonly origin: number;
  /** Port by name. */
  readonly caches: Readonly<Record<CacheName, number>>;
  /** Stops the server; the caches keep running. */
  stopOrigin(): Promise<void>;
  /** The log of the server so far, one JSON object per line. */
  log(): string;
}

/** Starts a server and both caches, each as a process with one temporary folder. */
export async function startCacheServers(model: string): Promise<CacheServers> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'caches-'));
  // The caches drop their privileges, and must still access the folder.
  await chmod(folder, 0o755);
  const children: ChildProcess[] = [];
  const dispose = async (): Promise<void> => {
    await Promise.all(children.map((child) => stop(child, 'SIGTERM')));
    await rm(folder, { recursive: true });
  };
  try {
    const { child, port, log } = await startOrigin(folder, model, children);
    const [nginx, varnish] = await Promise.all([
      startNginx(folder, port, children),
      startVarnish(folder, port, children),
    ]);
    return {
      origin: port,
      caches: { nginx, varnish },
      log,
      stopOrigin: () => stop(child, 'SIGTERM'),
      [Symbol.asyncDispose]: dispose,
    };
  } catch (error) {
    await dispose();
    throw error;
  }
}

export async function startOrigin(
  folder: string,
  model: string,
  children: ChildProcess[],
): Promise<{ readonly child: ChildProcess; readonly port: number; readonly log: () => string }> {
  await writeFile(path.join(folder, 'model.yaml'), model);
  const child = spawn(process.execPath, [program, 'serve', 'model.yaml', '--port', '0'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  let text = '';
  child.stderr.on('data', (chunk: Buffer) => void (text += chunk.toString()));
  const ended = once(child, 'close').then(() => Promise.reject(new Error(`the server exited: ${text}`)));
  ended.catch(() => undefined);
  const [line]: string[] = await Promise.race([once(createInterface({ input: child.stdout }), 'line'), ended]);
  return { child, port: Number(new URL((line ?? '').replace('listening on ', '')).port), log: () => text };
}

async function startNginx(folder: string, origin: number, children: ChildProcess[]): Promise<number> {
  const port = await freePort();
  const site = replaced(await example('nginx.conf'), [
    ['listen 8080;', `listen 127.0.0.1:${port};`],
    ['server 127.0.0.1:3000;', `server 127.0.0.1:${origin};`],
    ['/var/cache/nginx/restwright', path.join(folder, 'nginx', 'cache')],
  ]);
  await mkdir(path.join(folder, 'nginx'));
  await writeFile(path.join(folder, 'nginx', 'site.conf'), site);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((each) => `${each}_temp_path ${each};`);
  const around = `daemon off; pid nginx.pid; worker_processes 1; events {} http { access_log off; ${temporary.join(' ')} include site.conf; }`;
  await writeFile(path.join(folder, 'nginx', 'nginx.conf'), around);
  const child = startCache('nginx', ['-p', path.join(folder, 'nginx'), '-c', 'nginx.conf', '-e', 'error.log'], folder);
  children.push(child);
  await listening(child, port, () => readFile(path.join(folder, 'nginx', 'error.log'), 'utf8'));
  return port;
}

async function startVarnish(folder: string, origin: number, children: ChildProcess[]): Promise<number> {
  const port = await freePort();
  const text = await example('default.vcl');
  const file = path.join(folder, 'default.vcl');
  await writeFile(file, replaced(text, [['.port = "3000";', `.port = "${origin}";`]]));
  // The command is documented in the file.
  const command = /^# +varnishd (.+)$/m.exec(text)?.[1] ?? '';
  const args = replaced(command, [
    [':8080', `127.0.0.1:${port}`],
    ['examples/caches/default.vcl', file],
  ]).split(' ');
  const log: string[] = [];
  // Without `-T none` the management interface listens on a random port, which may be the one that was just found free.
  const own = ['-F', '-j', 'none', '-T', 'none', '-n', path.join(folder, 'varnish')];
  const child = startCache('varnishd', [...own, ...args], folder);
  children.push(child);
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => log.push(chunk.toString()));
  await listening(child, port, () => Promise.resolve(log.join('')));
  return port;
}

function startCache(name: string, args: readonly string[], cwd: string): ChildProcess {
  return spawn(programFile(name) ?? name, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
}

/** Waits until a port accepts connections. @param readLog the log of the program, for the error */
export async function listening(child: ChildProcess, port: number, readLog: () => Promise<string>): Promise<void> {
  const end = performance.now() + START_TIMEOUT;
  while (performance.now() < end && child.exitCode === null) {
    if (await connects(port)) return;
    await pause(20);
  }
  throw new Error(`nothing listens on port ${port}: ${await readLog()}`);
}

function connects(port: number): Promise<boolean> {
  const socket = net.connect({ port, host: '127.0.0.1' });
  return new Promise((resolve) => {
    socket.on('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}

export async function stop(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'close');
  child.kill(signal);
  await ended;
}
