import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { programFile } from '../../../installed-programs.ts';

/** A PgBouncer of a test. */
export interface TestPooler {
  /** @param mode how it pools @param parameters of the URL */
  readonly url: (mode: 'session' | 'transaction', parameters: Readonly<Record<string, string>>) => string;
  readonly stop: () => Promise<void>;
}

/** The user that it runs as where the tests run as root, which it refuses. */
const NOBODY = 65_534;

/**
 * Starts PgBouncer in front of a server.
 *
 * @param server the URL of a socket
 * @param ignored startup parameters that it drops instead of refusing the session
 */
export async function startPgBouncer(server: string, ignored = ''): Promise<TestPooler> {
  const folder = mkdtempSync(path.join(tmpdir(), 'restwright-pgbouncer-'));
  const host = new URL(server).searchParams.get('host') ?? '';
  const database = (mode: string): string =>
    `${mode} = host=${host} dbname=postgres user=postgres pool_mode=${mode} pool_size=20`;
  const file = path.join(folder, 'pgbouncer.ini');
  const settings = [
    '[databases]',
    ...['session', 'transaction'].map(database),
    '[pgbouncer]',
    'listen_port = 5432',
    `unix_socket_dir = ${folder}`,
    'auth_type = any',
    ...(ignored === '' ? [] : [`ignore_startup_parameters = ${ignored}`]),
  ];
  writeFileSync(file, `${settings.join('\n')}\n`);
  const isRoot = process.getuid?.() === 0;
  if (isRoot) chownSync(folder, NOBODY, NOBODY);
  const owner = isRoot ? ['setpriv', '--reuid', String(NOBODY), '--regid', String(NOBODY), '--clear-groups'] : [];
  const [command, ...rest] = [...owner, programFile('pgbouncer') ?? 'pgbouncer', file];
  const child = spawn(command, rest, { stdio: ['ignore', 'ignore', 'pipe'] });
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stderr })) {
    lines.push(line);
    if (line.includes('process up')) break;
  }
  if (child.exitCode !== null) throw new Error(`PgBouncer did not start:\n${lines.join('\n')}`);
  child.stderr.resume();
  return {
    url: (mode, parameters) => {
      const query = new URLSearchParams({ host: folder, ...parameters });
      return `postgres://postgres@localhost/${mode}?${query.toString()}`;
    },
    stop: async () => {
      const exited = once(child, 'exit');
      child.kill('SIGINT');
      await exited;
      rmSync(folder, { recursive: true });
    },
  };
}
