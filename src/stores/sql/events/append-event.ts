import type { EventDraft } from '../../../conventions/events/event.ts';
import type { WritePlan } from '../../../plan/plan.ts';
import type { Dialect, Statement } from '../dialect.ts';
import type { Tables } from '../tables.ts';
import { addRecorded } from './add-recorded.ts';
import { type PackedEvent, packEvent } from './event-codec.ts';
import { findBlock, eventStatements } from './event-statements.ts';

/** The event log in a transaction. Each unit starts with the state that the unit before it ended with. */
export interface LogState {
  /** The last sequence that was assigned. */
  readonly sequence: number;
  /** The shapes that the transaction has made sure of. */
  readonly shapes: ReadonlySet<string>;
  /** The last event of the transaction that has its own origin. */
  readonly origin: { readonly sequence: number; readonly bytes: Uint8Array } | null;
  /** The times of the transaction's events and ids. */
  readonly times: EventTimes | null;
}

/** In milliseconds since the epoch. */
interface EventTimes {
  readonly firstAt: number;
  readonly lastAt: number;
  readonly firstId: number;
  readonly lastId: number;
}

/** The state before the first event of a transaction. @param sequence the last one that was assigned */
export function logState(sequence: number): LogState {
  return { sequence, shapes: new Set(), origin: null, times: null };
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
  const { addShape, addEvent } = eventStatements(tables.dialect);
  const packed = packEvent(draft);
  const sequence = before.sequence + 1;
  const { shape, type, resourceType, at, id, resourceId, data, detail } = packed;
  const base = distanceToBase(packed, sequence, before);
  const isNew = !before.shapes.has(shape);
  const origin = base === 0 ? packed.origin : null;
  const columns = [sequence, shape, base, at, id, resourceId, origin, data];
  const { added, completed } =
    plan.related === undefined
      ? { added: addEvent(...columns, detail), completed: null }
      : addRecorded(tables, { columns, detail }, plan, plan.related);
  const statements = isNew ? [addShape(type, resourceType, shape), added] : [added];
  const isAhead = plan.kind === 'delete' || completed !== null;
  return {
    ahead: isAhead ? statements : [],
    behind: isAhead ? (completed === null ? [] : [completed]) : statements,
    log: {
      sequence,
      shapes: isNew ? new Set(before.shapes).add(shape) : before.shapes,
      origin: base === 0 ? { sequence, bytes: packed.origin } : before.origin,
      times: extended(before.times, at, idTime(draft.id)),
    },
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

/** The statements that note the times of a transaction's events in their blocks. */
export function timeStatements(dialect: Dialect, begun: LogState, { sequence, times }: LogState): readonly Statement[] {
  if (times === null) return [];
  const { firstAt, lastAt, firstId, lastId } = times;
  const [first, last] = [findBlock(begun.sequence + 1), findBlock(sequence)];
  return Array.from({ length: last - first + 1 }, (_, index) =>
    eventStatements(dialect).addTimes(first + index, firstAt, lastAt, firstId, lastId),
  );
}

function extended(times: EventTimes | null, at: number, id: number): EventTimes {
  if (times === null) return { firstAt: at, lastAt: at, firstId: id, lastId: id };
  return {
    firstAt: Math.min(times.firstAt, at),
    lastAt: Math.max(times.lastAt, at),
    firstId: Math.min(times.firstId, id),
    lastId: Math.max(times.lastId, id),
  };
}

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7/;

/** The milliseconds in a UUIDv7; 0 for another id. */
export function idTime(id: string): number {
  return UUID_V7.test(id) ? Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) : 0;
}
