import path from 'node:path/posix';
import type { Import, Source } from './source.ts';

/** The path of a relatively imported file; null for a package or a `node:` module. */
export function importedFile(source: Source, { name }: Import): string | null {
  return name.startsWith('.') ? path.join(path.dirname(source.path), name) : null;
}

/** The name of an imported package; null for a relative import and for `node:`. */
export function readPackage({ name }: Import): string | null {
  if (name.startsWith('.') || name.startsWith('node:')) return null;
  return name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/');
}

/**
 * Import cycles, including type-only imports: the files of each in import order, starting with the first by name.
 * Of several cycles that share files only one is reported: the next run reports the others.
 */
export function cycles(sources: readonly Source[]): readonly (readonly string[])[] {
  const edges = new Map(
    sources.map((source) => [source.path, source.imports.flatMap((each) => importedFile(source, each) ?? [])]),
  );
  const found: string[][] = [];
  const reported = new Set<string>();
  for (const start of [...edges.keys()].sort()) {
    const loop = reported.has(start) ? null : shortestCycle(edges, start);
    if (loop === null) continue;
    found.push(loop);
    for (const file of loop) reported.add(file);
  }
  return found;
}

/** The shortest cycle through a file; null where there is none. */
function shortestCycle(edges: ReadonlyMap<string, readonly string[]>, start: string): string[] | null {
  const cameFrom = new Map<string, string>();
  const queue = [start];
  for (const file of queue) {
    for (const next of edges.get(file) ?? []) {
      if (next === start) return trace(cameFrom, start, file);
      if (cameFrom.has(next)) continue;
      cameFrom.set(next, file);
      queue.push(next);
    }
  }
  return null;
}

function trace(cameFrom: ReadonlyMap<string, string>, start: string, last: string): string[] {
  const loop = [last];
  for (let file = last; file !== start; ) {
    file = cameFrom.get(file) ?? start;
    loop.unshift(file);
  }
  return loop;
}

/** All files that one imports at run time, directly or not, including itself, each with the path to it. */
export function reachableFiles(
  sources: ReadonlyMap<string, Source>,
  start: Source,
): ReadonlyMap<Source, readonly string[]> {
  const paths = new Map<Source, readonly string[]>([[start, [start.path]]]);
  for (const [source, way] of paths) {
    for (const each of source.imports) {
      const next = each.typeOnly ? undefined : sources.get(importedFile(source, each) ?? '');
      if (next !== undefined && !paths.has(next)) paths.set(next, [...way, next.path]);
    }
  }
  return paths;
}
