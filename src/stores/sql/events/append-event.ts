import type { EventDraft } from '../../../conventions/events/event.ts';
import type { WritePlan } from '../../../plan/plan.ts';
import type { Dialect, Statement } from '../dialect.ts';
import { COUNTED, type NextNumber } from '../log-numbers.ts';
import type { Tables } from '../tables.ts';
import { addRecorded } from './add-recorded.ts';
import { type PackedEvent, packEvent } from './event-codec.ts';
import { findBlock, eventStatements } from './event-statements.ts';

/** The event log in a transaction. Each unit starts with the state that the unit before it ended with. */
export interface LogState {
  /** The last sequence that was assigned. */
  readonly sequence: number;
  readonly next: NextNumber;
  /** The last sequence that was assigned when the transaction began. */
  readonly end: number;
  /** That of the transaction, where numbers are allocated; else 0. */
  readonly slot: number;
  /** The number of events that the transaction has added. */
  readonly added: number;
  /** The shapes that are known to be stored, and noted for a block. */
  readonly shapes: BlockShapes;
  /** The last event of the transaction that has its own origin. */
  readonly origin: { readonly sequence: number; readonly bytes: Uint8Array } | null;
  /** The times of the last block with events, which is not full yet; null without one. */
  readonly open: BlockTimes | null;
}

/** Shapes of the events of a block. */
export interface BlockShapes {
  readonly block: number;
  readonly known: ReadonlySet<string>;
}

/** The times of the events and ids of a block, in milliseconds since the epoch. */
export interface BlockTimes {
  readonly block: number;
  readonly firstAt: number;
  readonly lastAt: number;
  readonly firstId: number;
  readonly lastId: number;
}

const NO_SHAPES: BlockShapes = { block: 0, known: new Set() };

/** The log as a transaction finds it. */
interface FoundLog extends Pick<LogState, 'sequence'>, Partial<Pick<LogState, 'end' | 'open' | 'next' | 'slot'>> {
  /** Those that the transactions before it have stored, while no other process has written. Default: none. */
  readonly shapes?: BlockShapes | undefined;
}

/** The state before the first event of a transaction. Default: a log whose numbers are counted. */
export function logState({ sequence, open = null, shapes = NO_SHAPES, next = COUNTED, ...found }: FoundLog): LogState {
  const { end = sequence, slot = 0 } = found;
  return { sequence, end, next, slot, added: 0, shapes, origin: null, open };
}

/** The log once events up to a sequence are removed, with shapes that no later event has. */
export function afterRemoval(log: LogState, through: number): LogState {
  // The times of slots are removed with those of their block.
  const isEmpty = log.next === COUNTED && through >= log.sequence;
  return { ...log, shapes: NO_SHAPES, open: isEmpty ? null : log.open };
}

/** An event that is appended with a plan. */
interface AppendedEvent {
  /** The statements that come before the row is written, and after it. */
  readonly ahead: readonly Statement[];
  readonly behind: readonly Statement[];
  /** The log after them. */
  readonly log: LogState;
}

/**
 * Appends an event to the log: before its row is deleted, else after it is written.
 *
 * @param plan what is recorded with the event
 */
export function appendEvent(
  tables: Tables,
  draft: EventDraft,
  plan: Pick<WritePlan, 'kind' | 'resource' | 'related'>,
  before: LogState,
): AppendedEvent {
  const packed = packEvent(draft);
  const sequence = before.next(before.sequence);
  const { shape, at, id, resourceId, data, detail } = packed;
  const base = distanceToBase(packed, sequence, before);
  const origin = base === 0 ? packed.origin : null;
  const columns = [sequence, shape, base, at, id, resourceId, origin, data];
  const { added, completed } =
    plan.related === undefined
      ? { added: eventStatements(tables.dialect).addEvent(...columns, detail), completed: null }
      : addRecorded(tables, { columns, detail }, plan, plan.related);
  const noted = noteEvent(tables.dialect, packed, { sequence, id: idTime(draft.id) }, before);
  const statements = [...noted.statements, added];
  const isAhead = plan.kind === 'delete' || completed !== null;
  return {
    ahead: isAhead ? statements : [],
    behind: isAhead ? (completed === null ? [] : [completed]) : statements,
    log: {
      ...before,
      sequence,
      added: before.added + 1,
      shapes: noted.shapes,
      origin: base === 0 ? { sequence, bytes: packed.origin } : before.origin,
      open: noted.open,
    },
  };
}

/** The notes of an event's block: each shape when it is first met, and the times once the block is full. */
interface NotedEvent extends Pick<LogState, 'shapes'> {
  readonly statements: readonly Statement[];
  readonly open: BlockTimes;
}

function noteEvent(
  dialect: Dialect,
  { type, resourceType, shape, at }: PackedEvent,
  { sequence, id }: { readonly sequence: number; readonly id: number },
  { shapes, open, slot }: LogState,
): NotedEvent {
  const { addShape, addBlockShape, addTimes } = eventStatements(dialect);
  const block = findBlock(sequence);
  const known = shapes.block === block ? shapes.known : NO_SHAPES.known;
  const isKnown = known.has(shape);
  const isOpen = open?.block === block;
  const times = isOpen ? extended(open, at, id) : { block, firstAt: at, lastAt: at, firstId: id, lastId: id };
  const full = isOpen ? null : open;
  return {
    statements: [
      ...(full === null ? [] : [addTimes(full.block, full.firstAt, full.lastAt, full.firstId, full.lastId, slot)]),
      ...(isKnown ? [] : [addShape(type, resourceType, shape), addBlockShape(block, shape, slot)]),
    ],
    shapes: isKnown ? shapes : { block, known: new Set(known).add(shape) },
    open: times,
  };
}

/**
 * The distance to the earlier event with the same origin; 0 if the event has its own. Both are in one block, so that
 * they are removed together.
 */
function distanceToBase({ origin }: PackedEvent, sequence: number, { origin: last }: LogState): number {
  const isShared =
    last !== null && findBlock(last.sequence) === findBlock(sequence) && Buffer.compare(last.bytes, origin) === 0;
  return isShared ? sequence - last.sequence : 0;
}

function extended({ block, firstAt, lastAt, firstId, lastId }: BlockTimes, at: number, id: number): BlockTimes {
  return {
    block,
    firstAt: Math.min(firstAt, at),
    lastAt: Math.max(lastAt, at),
    firstId: Math.min(firstId, id),
    lastId: Math.max(lastId, id),
  };
}

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7/;

/** The milliseconds in a UUIDv7; 0 for another id. */
export function idTime(id: string): number {
  return UUID_V7.test(id) ? Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) : 0;
}
