import type { RowImportOutcome } from '../../api.ts';
import type { ImportChunk } from './import-chunks.ts';

/** Chunks that are imported together, at most: so many rows fit into memory, and other writes wait for them. */
export const MAX_JOINED = 16;

/** A chunk, or several, and what its import led to. */
interface ImportedChunk {
  readonly chunk: ImportChunk;
  readonly outcome: RowImportOutcome;
}

/**
 * Imports a chunk. If one of its rows refers to a row that may follow in the file, it takes twice as many chunks each
 * time. Such a file costs a small multiple of another.
 *
 * @param following the chunks after it, of which this takes those that it imports
 */
export async function importJoined(
  first: ImportChunk,
  following: AsyncIterator<ImportChunk>,
  importChunk: (chunk: ImportChunk) => Promise<RowImportOutcome>,
): Promise<ImportedChunk> {
  let chunk = first;
  for (let parts = 1; ; parts *= 2) {
    const outcome = await importChunk(chunk);
    const isWaiting = outcome.kind === 'refused' && outcome.mayFollow === true;
    if (!isWaiting || 2 * parts > MAX_JOINED) return { chunk, outcome };
    const more = await taken(following, parts);
    if (more.length === 0) return { chunk, outcome };
    chunk = joinChunk([chunk, ...more]);
  }
}

async function taken(chunks: AsyncIterator<ImportChunk>, count: number): Promise<readonly ImportChunk[]> {
  const found: ImportChunk[] = [];
  while (found.length < count) {
    const next = await chunks.next();
    if (next.done === true) break;
    found.push(next.value);
  }
  return found;
}

function joinChunk(chunks: readonly [ImportChunk, ...ImportChunk[]]): ImportChunk {
  const { end } = chunks.at(-1) ?? chunks[0];
  return {
    lines: chunks.flatMap(({ lines }) => lines),
    rows: chunks.flatMap(({ rows }) => rows),
    errors: chunks.flatMap(({ errors }) => errors),
    end,
  };
}
