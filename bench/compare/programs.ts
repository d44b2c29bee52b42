import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { build } from 'rolldown';

/** Paths of the programs, as in production: JavaScript, Restwright as published. */
export interface Programs {
  /** The `restwright` command. */
  readonly restwright: string;
  readonly baseline: string;
  readonly fastify: string;
}

const root = path.resolve(import.meta.dirname, '../..');

/** Builds the programs in a folder, with the libraries of this checkout. */
export async function buildPrograms(folder: string): Promise<Programs> {
  const tarball = execFileSync(process.execPath, ['scripts/pack.ts'], { cwd: root, encoding: 'utf8' }).trim();
  const published = path.join(folder, 'published');
  mkdirSync(published, { recursive: true });
  execFileSync('tar', ['-xzf', tarball, '-C', published, '--strip-components=1']);
  rmSync(path.dirname(tarball), { recursive: true });
  symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
  return {
    restwright: path.join(published, 'bin', 'restwright.js'),
    baseline: await bundle(folder, 'baseline-server'),
    fastify: await bundle(folder, 'fastify-server'),
  };
}

async function bundle(folder: string, name: string): Promise<string> {
  const file = path.join(folder, `${name}.mjs`);
  await build({
    input: path.join(import.meta.dirname, `${name}.ts`),
    platform: 'node',
    external: (id) => !id.startsWith('.') && !path.isAbsolute(id),
    output: { file },
    logLevel: 'silent',
  });
  return file;
}
