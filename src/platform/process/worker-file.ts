import { extname } from 'node:path';

/**
 * Finds the file next to a module that a worker thread or a child process runs. It is TypeScript if the module is
 * source, JavaScript if it is built.
 *
 * @param module its `import.meta.url`
 * @param name of the file, without extension
 */
export function workerFile(module: string, name: string): URL {
  return new URL(`./${name}${extname(module)}`, module);
}
