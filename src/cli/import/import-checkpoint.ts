import { createHash, type Hash } from 'node:crypto';

/**
 * How far an import has come in a source. The source has no name of its own: it is known by its bytes, so that a file may be moved,
 * and that one which was corrected or lengthened behind this position goes on here.
 */
export interface ImportCheckpoint {
  /** Line breaks before the position. */
  readonly lines: number;
  /** Bytes before the position. */
  readonly bytes: number;
  /** SHA-256 of those bytes, in hexadecimal. */
  readonly sha256: string;
}

/** A position, and the running hash of the bytes before it, to go on from. */
export interface ResumePoint {
  readonly lines: number;
  readonly bytes: number;
  readonly hash: Hash;
}

/** Before the first byte of any source. */
export function startOfSource(): ResumePoint {
  return { lines: 0, bytes: 0, hash: createHash('sha256') };
}

/** The position that an import has reached; the running hash stays usable. */
export function checkpointAt({ lines, bytes, hash }: ResumePoint): ImportCheckpoint {
  return { lines, bytes, sha256: hash.copy().digest('hex') };
}

/**
 * The name under which a collection's imports from sources with this first line are remembered. The first line is the one part that
 * every committed batch of a source has in common, however short the source was then.
 *
 * @param collection name of the resource
 */
export function checkpointName(collection: string, firstLine: Uint8Array): string {
  return `import:${collection}:${createHash('sha256').update(firstLine).digest('hex')}`;
}

/** The positions that a bookmark holds: one for each source that begins with the same line. */
export function parseCheckpoints(value: string | null): readonly ImportCheckpoint[] {
  const positions: readonly ImportCheckpoint[] = value === null ? [] : JSON.parse(value);
  return positions;
}

/** How many sources that begin with the same line are remembered; the one that was imported longest ago is forgotten first. */
const MAX_SOURCES = 100;

/** What the bookmark holds once a source has come from one position to another; positions of other sources stay. */
export function advanceCheckpoint(
  positions: readonly ImportCheckpoint[],
  from: ImportCheckpoint,
  to: ImportCheckpoint,
): readonly ImportCheckpoint[] {
  const others = positions.filter(({ sha256 }) => sha256 !== from.sha256 && sha256 !== to.sha256);
  return [...others, to].slice(-MAX_SOURCES);
}

/**
 * The farthest of the positions whose bytes the source still begins with, or the beginning. Reads no further than the farthest one.
 *
 * @param chunks the source from its first byte
 */
export async function findResumePoint(
  positions: readonly ImportCheckpoint[],
  chunks: AsyncIterable<Uint8Array>,
): Promise<ResumePoint> {
  const ahead = positions.toSorted((one, other) => one.bytes - other.bytes);
  const hash = createHash('sha256');
  let bytes = 0;
  let found = startOfSource();
  for await (const chunk of chunks) {
    let start = 0;
    for (let next = ahead[0]; next !== undefined && next.bytes <= bytes + chunk.length - start; next = ahead[0]) {
      const end = start + next.bytes - bytes;
      hash.update(chunk.subarray(start, end));
      bytes = next.bytes;
      start = end;
      if (hash.copy().digest('hex') === next.sha256) found = { lines: next.lines, bytes, hash: hash.copy() };
      ahead.shift();
    }
    if (ahead.length === 0) break;
    hash.update(chunk.subarray(start));
    bytes += chunk.length - start;
  }
  return found;
}
