import { extname } from 'node:path';

/**
 * A file that lies beside a module, and that a thread or process of its own runs: TypeScript where the module is the source, JavaScript where
 * it is built.
 *
 * @param module its `import.meta.url`
 * @param name of the file, without what its name ends with
 */
export function workerFile(module: string, name: string): URL {
  return new URL(`./${name}${extname(module)}`, module);
}
