import { readFileSync } from 'node:fs';
import { packagePath } from './package-path.ts';

let version: string | null = null;

/** The version of this program, from its `package.json`. */
export function programVersion(): string {
  version ??= readVersion();
  return version;
}

function readVersion(): string {
  const manifest: { readonly version: string } = JSON.parse(readFileSync(packagePath('package.json'), 'utf8'));
  return manifest.version;
}
