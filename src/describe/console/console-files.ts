import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Coding } from '../../conventions/media/content-coding.ts';
import { compressFile, compressOnce } from '../../formats/compress.ts';
import type { MaybePromise } from '../../platform/maybe-promise.ts';
import { digest } from '../../platform/digest.ts';
import { packagePath } from '../../platform/process/package-path.ts';

/** A file of the console, in memory. */
export interface ConsoleFile {
  readonly body: Uint8Array;
  /** The body in a coding, made once. */
  readonly compressed: (coding: Coding) => MaybePromise<Uint8Array>;
  readonly contentType: string;
  /** With its quotes. */
  readonly etag: string;
  /** True if the name has the digest of the content, so that a cache never asks again. */
  readonly isImmutable: boolean;
}

/** The files of the console by name, the page itself by {@link PAGE}. */
export type ConsoleFiles = ReadonlyMap<string, ConsoleFile>;

/** The name of the page itself. */
export const PAGE = '';

/** The types of files that a build has. */
const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** The console was not built. */
export class ConsoleMissing extends Error {
  override readonly name = 'ConsoleMissing';

  constructor(folder: string, cause: unknown) {
    super(`The console has no files in ${folder}: run \`npm run build:console\`.`, { cause });
  }
}

/**
 * Reads the files of the console: `index.html` and the folder `console` of a build.
 *
 * @param folder that of the build. Default: that of this package
 * @throws {ConsoleMissing}
 */
export function readConsoleFiles(folder = packagePath('console/dist')): ConsoleFiles {
  try {
    const page = describeFile('index.html', readFileSync(path.join(folder, 'index.html')), false);
    const others = readdirSync(path.join(folder, 'console')).map(
      (name) => [name, describeFile(name, readFileSync(path.join(folder, 'console', name)), true)] as const,
    );
    return new Map([[PAGE, page], ...others]);
  } catch (error) {
    throw new ConsoleMissing(folder, error);
  }
}

/** Describes a file by its name and content. */
export function describeFile(name: string, body: Uint8Array, isImmutable: boolean): ConsoleFile {
  const contentType = TYPES[path.extname(name)] ?? 'application/octet-stream';
  return { body, compressed: compressOnce(body, compressFile), contentType, etag: `"${digest(body)}"`, isImmutable };
}
