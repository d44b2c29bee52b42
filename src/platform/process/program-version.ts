import { readFileSync } from 'node:fs';
import { lazy } from '../../cache/memoize.ts';
import { packagePath } from './package-path.ts';

/** The version of this program, from its `package.json`. */
export const programVersion = lazy((): string => {
  const manifest: { readonly version: string } = JSON.parse(readFileSync(packagePath('package.json'), 'utf8'));
  return manifest.version;
});
