import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

let known: string | null = null;

/** The version of this program, as its package names it. */
export function programVersion(): string {
  known ??= readVersion();
  return known;
}

function readVersion(): string {
  const file = fileURLToPath(import.meta.resolve('restwright/package.json'));
  const manifest: { readonly version: string } = JSON.parse(readFileSync(file, 'utf8'));
  return manifest.version;
}
