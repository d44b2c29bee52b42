import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { findBannedWords } from '../test/architecture/banned-words.ts';
import { type FunctionSpan, parseSource, type Source } from '../test/architecture/source.ts';
import { root } from './command.ts';

const MAX_FUNCTION_LINES = 40;
const MAX_PARAMETERS = 4;

/**
 * Numbers about the text of src/, by name.
 *
 * @param cacheFiles base names, without extension, of files that count as caches besides those that are named so
 */
export function measureSources(cacheFiles: ReadonlySet<string>): Readonly<Record<string, number | string>> {
  const paths = globSync('src/**/*.ts', { cwd: root }).map((file) => file.replaceAll(path.sep, '/'));
  const texts = paths.map((file) => readFileSync(path.join(root, file), 'utf8'));
  const all = paths.map((file, index) => parseSource(file, texts[index] ?? ''));
  const functions = all.flatMap((source) => source.functions);
  const caches = all.filter((source) => isCache(source.path, cacheFiles));
  return {
    files: all.length,
    lines: totalLines(all),
    'file lines, median / p90 / max': distribution(all.map(({ lines }) => lines)),
    'function lines, median / p90 / max': distribution(functions.map(({ lines }) => lines)),
    [`functions over ${MAX_FUNCTION_LINES} lines`]: countFunctions(
      functions,
      ({ lines }) => lines > MAX_FUNCTION_LINES,
    ),
    [`functions with over ${MAX_PARAMETERS} parameters`]: countFunctions(
      functions,
      ({ parameters }) => parameters > MAX_PARAMETERS,
    ),
    'type names declared in several files': repeatedTypes(all),
    'cache files (named cache or memoize)': caches.length,
    'lines of cache files': totalLines(caches),
    'banned words per 1,000 lines': perThousandLines(texts, all),
    'of these in comments and strings': perThousandLines(all.map(joinProse), all),
  };
}

function totalLines(sources: readonly Source[]): number {
  return sources.reduce((sum, { lines }) => sum + lines, 0);
}

function countFunctions(functions: readonly FunctionSpan[], matches: (each: FunctionSpan) => boolean): number {
  return functions.filter(matches).length;
}

function distribution(values: readonly number[]): string {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
  return `${at(0.5)} / ${at(0.9)} / ${at(1)}`;
}

/** Classes, interfaces and type aliases whose name another file declares too. */
function repeatedTypes(sources: readonly Source[]): number {
  const files = new Map<string, Set<string>>();
  for (const { path: file, types } of sources)
    for (const { name } of types) files.getOrInsertComputed(name, () => new Set()).add(file);
  return files
    .values()
    .filter(({ size }) => size > 1)
    .toArray().length;
}

/**
 * Finds caches by a word of the path: `cache/lru.ts`, `item-cache.ts`, `memoize.ts`. `cache-control` is a header field.
 */
function isCache(file: string, cacheFiles: ReadonlySet<string>): boolean {
  if (cacheFiles.has(path.basename(file, '.ts'))) return true;
  return /\b(?:cache|memoize)\b/.test(file.replaceAll('cache-control', ''));
}

function joinProse({ comments, texts }: Source): string {
  return [...comments, ...texts].map(({ name }) => name).join('\n');
}

function perThousandLines(texts: readonly string[], sources: readonly Source[]): number {
  const count = texts.reduce((sum, text) => sum + findBannedWords(text).length, 0);
  return Math.round((count / totalLines(sources)) * 10_000) / 10;
}
