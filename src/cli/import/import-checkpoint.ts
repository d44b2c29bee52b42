import { createHash, type Hash } from 'node:crypto';

/**
 * The progress of the import of a file. A file is identified by its content. It may be moved, and the part after the
 * checkpoint may be corrected or extended before the import resumes.
 */
export interface ImportCheckpoint {
  /** Number of line breaks before the checkpoint. */
  readonly lines: number;
  /** Number of bytes before the checkpoint. */
  readonly bytes: number;
  /** SHA-256 of those bytes, in hexadecimal. */
  readonly sha256: string;
}

/** The place where an import resumes, with the running hash of the bytes before it. */
export interface ResumePoint {
  readonly lines: number;
  readonly bytes: number;
  readonly hash: Hash;
}

/** The resume point before the first byte. */
export function startOfSource(): ResumePoint {
  return { lines: 0, bytes: 0, hash: createHash('sha256') };
}

/** The checkpoint at a resume point, whose hash stays usable. */
export function checkpointAt({ lines, bytes, hash }: ResumePoint): ImportCheckpoint {
  return { lines, bytes, sha256: hash.copy().digest('hex') };
}

/**
 * The name under which the checkpoints of a collection's imports are stored, for all files that begin with the same
 * line. The first line is part of every committed chunk of a file, however short the file was then.
 *
 * @param collection name of the resource
 */
export function checkpointName(collection: string, firstLine: Uint8Array): string {
  return `import:${collection}:${createHash('sha256').update(firstLine).digest('hex')}`;
}

/** Parses stored checkpoints: one for each file that begins with the same line. */
export function parseCheckpoints(value: string | null): readonly ImportCheckpoint[] {
  const checkpoints: readonly ImportCheckpoint[] = value === null ? [] : JSON.parse(value);
  return checkpoints;
}

/**
 * The number of files that begin with the same line and have a checkpoint; the least recently imported one is dropped
 * first.
 */
const MAX_FILES = 100;

/** Replaces the checkpoint of one file; those of other files stay. */
export function advanceCheckpoint(
  checkpoints: readonly ImportCheckpoint[],
  from: ImportCheckpoint,
  to: ImportCheckpoint,
): readonly ImportCheckpoint[] {
  const others = checkpoints.filter(({ sha256 }) => sha256 !== from.sha256 && sha256 !== to.sha256);
  return [...others, to].slice(-MAX_FILES);
}

/**
 * Finds the last checkpoint whose bytes the file still begins with, or the start of the file. Reads no further than the
 * last checkpoint.
 *
 * @param buffers the file from its first byte
 */
export async function findResumePoint(
  checkpoints: readonly ImportCheckpoint[],
  buffers: AsyncIterable<Uint8Array>,
): Promise<ResumePoint> {
  const pending = checkpoints.toSorted((one, other) => one.bytes - other.bytes);
  const hash = createHash('sha256');
  let bytes = 0;
  let found = startOfSource();
  for await (const buffer of buffers) {
    let start = 0;
    for (let next = pending[0]; next !== undefined && next.bytes <= bytes + buffer.length - start; next = pending[0]) {
      const end = start + next.bytes - bytes;
      hash.update(buffer.subarray(start, end));
      bytes = next.bytes;
      start = end;
      if (hash.copy().digest('hex') === next.sha256) found = { lines: next.lines, bytes, hash: hash.copy() };
      pending.shift();
    }
    if (pending.length === 0) break;
    hash.update(buffer.subarray(start));
    bytes += buffer.length - start;
  }
  return found;
}
