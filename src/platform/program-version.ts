import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

let version: string | null = null;

/** The version of this program, from its `package.json`. */
export function programVersion(): string {
  version ??= readVersion();
  return version;
}

function readVersion(): string {
  const file = fileURLToPath(import.meta.resolve('restwright/package.json'));
  const manifest: { readonly version: string } = JSON.parse(readFileSync(file, 'utf8'));
  return manifest.version;
}
