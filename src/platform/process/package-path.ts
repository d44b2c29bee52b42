import { createRequire } from 'node:module';
import path from 'node:path';

/**
 * The path of a file of this package, such as `package.json`. Resolved by `require`, as tools that transform modules,
 * such as Vite, have no `import.meta.resolve`.
 */
export function packagePath(file: string): string {
  return path.join(path.dirname(createRequire(import.meta.url).resolve('restwright/package.json')), file);
}
