import path from 'node:path/posix';
import type { Import, Source } from './source.ts';

/** The file that a relative import names, as a path from the checkout; null for a package or a `node:` module. */
export function importedFile(source: Source, { name }: Import): string | null {
  return name.startsWith('.') ? path.join(path.dirname(source.path), name) : null;
}

/** `@scope/name` or `name` of the package that an import names; null for a relative one and for `node:`. */
export function packageOf({ name }: Import): string | null {
  if (name.startsWith('.') || name.startsWith('node:')) return null;
  return name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/');
}

/**
 * Import cycles, type-only imports included: each the files of one knot in the order of a walk round it, the first by name first.
 * A knot of several cycles is told as one of them: there is another look after it is untied.
 */
export function cycles(sources: readonly Source[]): readonly (readonly string[])[] {
  const edges = new Map(
    sources.map((source) => [source.path, source.imports.flatMap((each) => importedFile(source, each) ?? [])]),
  );
  const found: string[][] = [];
  const told = new Set<string>();
  for (const start of [...edges.keys()].sort()) {
    const loop = told.has(start) ? null : shortestCycle(edges, start);
    if (loop === null) continue;
    found.push(loop);
    for (const file of loop) told.add(file);
  }
  return found;
}

/** The shortest walk along the edges from a file back to itself; null where there is none. */
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

/** Every file that one reaches through imports that remain once types are stripped, itself included, each with the way to it. */
export function reachableFiles(
  sources: ReadonlyMap<string, Source>,
  start: Source,
): ReadonlyMap<Source, readonly string[]> {
  const ways = new Map<Source, readonly string[]>([[start, [start.path]]]);
  for (const [source, way] of ways) {
    for (const each of source.imports) {
      const next = each.typeOnly ? undefined : sources.get(importedFile(source, each) ?? '');
      if (next !== undefined && !ways.has(next)) ways.set(next, [...way, next.path]);
    }
  }
  return ways;
}
