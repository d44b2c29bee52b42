import { extname } from 'node:path';

/**
 * The file next to a module that a worker thread or a child process runs: TypeScript where the module is source, JavaScript where it is built.
 *
 * @param module its `import.meta.url`
 * @param name of the file, without extension
 */
export function workerFile(module: string, name: string): URL {
  return new URL(`./${name}${extname(module)}`, module);
}
