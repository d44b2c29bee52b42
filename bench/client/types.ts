// Measures the compiler with the types of a large model: `node bench/client/types.ts [resources]`. README.md describes
// the method.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { largeModel } from './large-model.ts';

const root = path.join(import.meta.dirname, '..', '..');
const tsc = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc');

/** The report of the compiler on a program. */
export interface TypeCosts {
  /** Errors of the compiler; empty if there are none. */
  readonly errors: string;
  /** A measure of the work that does not depend on the machine. */
  readonly instantiations: number;
  /** Seconds. */
  readonly total: number;
}

/**
 * Compiles a model with so many resources, with or without a program that uses its client, against the declarations of
 * the package.
 */
export function typeCosts(count: number, isUsed: boolean): TypeCosts {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'restwright-types-'));
  try {
    const declarations = path.join(folder, 'types');
    spawnSync(process.execPath, [tsc, '-p', path.join(root, 'tsconfig.build.json'), '--outDir', declarations]);
    const paths = { root: './types/src/index.js', client: './types/src/client/client.js' };
    const { model, use } = largeModel(count, paths);
    const files = { 'model.ts': model, ...(isUsed && { 'use.ts': use }) };
    for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
    writeFileSync(path.join(folder, 'package.json'), '{"type":"module"}');
    const config = {
      extends: path.join(root, 'tsconfig.json'),
      compilerOptions: { lib: ['esnext', 'dom'], types: [] },
      include: [],
      files: Object.keys(files),
    };
    writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify(config));
    const options = ['-p', folder, '--extendedDiagnostics', '--singleThreaded'];
    const { stdout } = spawnSync(process.execPath, [tsc, ...options], { encoding: 'utf8' });
    const of = (name: string): number => Number(new RegExp(`^${name}:\\s+([\\d.]+)`, 'm').exec(stdout)?.[1]);
    const errors = stdout.split('\n').filter((line) => line.includes('error TS'));
    return { errors: errors.join('\n'), instantiations: of('Instantiations'), total: of('Total time') };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  const count = Number(process.argv[2] ?? 200);
  for (const isUsed of [false, true]) {
    const { errors, instantiations, total } = typeCosts(count, isUsed);
    if (errors !== '') throw new Error(errors);
    const what = isUsed ? 'and a program that uses its client' : 'alone';
    process.stdout.write(`${count} resources ${what}: ${total.toFixed(2)} s, ${instantiations} instantiations\n`);
  }
}
