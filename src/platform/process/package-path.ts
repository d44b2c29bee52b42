import { fileURLToPath } from 'node:url';

/** The path of a file of this package, such as `package.json`. */
export function packagePath(file: string): string {
  return fileURLToPath(new URL(file, import.meta.resolve('restwright/package.json')));
}
