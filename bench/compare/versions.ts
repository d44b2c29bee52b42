import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { PEERS, type Contender } from './contenders.ts';

const root = path.resolve(import.meta.dirname, '../..');

/** Versions of the contenders and the tools. */
export function installedVersions(contenders: readonly Contender[]): readonly string[] {
  const { stdout } = spawnSync('wrk', ['-v'], { encoding: 'utf8' });
  return [
    `Node.js ${process.versions.node}`,
    ...['better-sqlite3', 'fastify'].map((name) => `${name} ${readVersion(root, name)}`),
    ...contenders.flatMap((contender) =>
      contender.package === null ? [] : `${contender.name} ${readVersion(PEERS, contender.package)}`,
    ),
    `wrk ${/\d+\.\d+\.\d+/.exec(stdout)?.[0] ?? 'unknown'}`,
  ];
}

function readVersion(folder: string, name: string): string {
  const file = path.join(folder, 'node_modules', name, 'package.json');
  const { version }: { version: string } = JSON.parse(readFileSync(file, 'utf8'));
  return version;
}
