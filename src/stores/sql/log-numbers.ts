import type { Dialect } from './dialect.ts';

/**
 * The row of a counted log: its `count` is the last sequence, its `change` the last revision. It stands among the
 * counts of resources, so that a commit writes one page for all of them.
 */
export const FROM_LOG = "from restwright_counts where resource = ''";

/** The sequences of PostgreSQL that allocate numbers. They have gaps. */
export const ALLOCATORS = {
  revision: 'restwright_next_revision',
  sequence: 'restwright_next_sequence',
  shape: 'restwright_next_shape',
} as const;

/**
 * The slots of a log with allocated numbers. A transaction that writes locks one of them until it ends, so that as many
 * transactions overlap.
 */
export const SLOT_COUNT = 32;

/** The number that an allocator has given last; 0 before the first one. */
export function selectAllocated(allocator: string): string {
  return `(select case when is_called then last_value else last_value - 1 end from ${allocator})`;
}

/** An expression: the last sequence that was assigned. */
export function selectLastSequence({ numbers }: Pick<Dialect, 'numbers'>): string {
  return numbers === 'counted' ? `(select count ${FROM_LOG})` : selectAllocated(ALLOCATORS.sequence);
}

/** An expression: the last revision that was assigned. */
export function selectLastRevision({ numbers }: Pick<Dialect, 'numbers'>): string {
  return numbers === 'counted' ? `(select change ${FROM_LOG})` : selectAllocated(ALLOCATORS.revision);
}

/** Stamps that are sums stay below it, so that the sum of two of them is exact. */
const STAMP_LIMIT = 2 ** 52;

/** An expression: the stamp that some changes add up to. @param sum an expression of an integer */
export function sumStamps(sum: string): string {
  return `((${sum}) % ${STAMP_LIMIT})::bigint`;
}

/**
 * The part of one change in a stamp. Where numbers are counted, the stamp is the last revision. Allocated ones are
 * hashed and added up: the sum does not depend on the order of commits, and differs for other changes.
 */
export function addChange({ numbers }: Pick<Dialect, 'numbers'>, stamp: number, revision: number): number {
  return numbers === 'counted' ? revision : (stamp + hashChange(revision)) % STAMP_LIMIT;
}

/** The part of a change alone. */
export function stampChange(dialect: Pick<Dialect, 'numbers'>, revision: number): number {
  return addChange(dialect, 0, revision);
}

/** Hashes a number to 52 bits: two rounds of the finalizer of MurmurHash3 over its halves. */
function hashChange(revision: number): number {
  const low = mix(Math.imul(revision >>> 0, 0x9e37_79b1) ^ Math.floor(revision / 2 ** 32));
  const high = mix(low ^ 0x7feb_352d ^ revision);
  return (high & 0xf_ffff) * 2 ** 32 + low;
}

function mix(value: number): number {
  let hash = value;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2_ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** Assigns numbers in order: the one after the last of a transaction. */
export type NextNumber = (last: number) => number;

/** The numbers of a log that one transaction after the other counts up. */
export const COUNTED: NextNumber = (last) => last + 1;

/**
 * Numbers that were allocated to a transaction, in ascending order.
 *
 * @throws {RangeError} once they are used up
 */
export function allocated(numbers: readonly number[]): NextNumber {
  const following = new Map(numbers.map((each, index) => [numbers[index - 1] ?? 0, each]));
  return (last) => {
    const next = following.get(last);
    if (next === undefined) throw new RangeError('A transaction needs more numbers than were allocated to it');
    return next;
  };
}
