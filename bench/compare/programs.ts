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

/**
 * Bundles a program of `bench/` into a folder whose `node_modules` are those of this checkout.
 *
 * @param source its path without extension
 */
export async function bundle(folder: string, source: string): Promise<string> {
  const file = path.join(folder, `${path.basename(source)}.mjs`);
  await build({
    input: path.resolve(import.meta.dirname, `${source}.ts`),
    platform: 'node',
    external: (id) => !id.startsWith('.') && !path.isAbsolute(id),
    output: { file },
    logLevel: 'silent',
  });
  return file;
}
