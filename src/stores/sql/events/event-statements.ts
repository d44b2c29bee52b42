import { weakMemoize } from '../../../cache/memoize.ts';
import type { ValueType } from '../../../model/model.ts';
import { RETENTION_READER } from '../../../plan/delivery-plan.ts';
import type { Dialect, Statement } from '../dialect.ts';
import { type Prepare, prepareStatement } from '../prepare.ts';
import { ALLOCATORS, FROM_LOG, selectLastSequence } from '../log-numbers.ts';

/**
 * Events of a block of the log: consecutive sequences. The times of a block and the origins in it are stored once, and
 * it is removed as a whole.
 */
export const BLOCK_SIZE = 1_024;

/** The number of the block of a sequence. */
export function findBlock(sequence: number): number {
  return Math.floor((sequence - 1) / BLOCK_SIZE);
}

const COLUMNS = `event.sequence, event.at, event.id, event.resource_id, event.data, event.detail, shape.type, shape.shape,
  coalesce(event.origin, (select origin from restwright_events as base
    where base.sequence = event.sequence - event.base)) as origin`;
const FROM = 'from restwright_events as event join restwright_event_shapes as shape on shape.id = event.shape';
const WINDOW = 'event.sequence > ? and event.sequence <= ? and event.at >= ? and event.at < ?';

const TEXT: ValueType = { kind: 'text', format: null };
const INTEGER: ValueType = { kind: 'integer' };
const BYTES: ValueType = { kind: 'binary', mediaType: null };

/** The types of the values of an event's columns. */
const EVENT_TYPES: readonly ValueType[] = [INTEGER, TEXT, INTEGER, INTEGER, BYTES, BYTES, BYTES, TEXT, TEXT];

/** The text that adds an event. @param values expressions of its columns; that of the shape is its JSON */
export function insertEvent(values: readonly string[]): string {
  return `${INSERT_EVENT} values (${eventValues(values)})`;
}

const INSERT_EVENT = 'insert into restwright_events (sequence, shape, base, at, id, resource_id, origin, data, detail)';

function eventValues([sequence, shape, ...others]: readonly string[]): string {
  return [sequence, `(select id from restwright_event_shapes where shape = ${shape})`, ...others].join(', ');
}

/** Adds an event; together with others where the dialect has arrays of rows. */
function addEvent(dialect: Dialect): Prepare {
  const of = prepareStatement(dialect, insertEvent(EVENT_TYPES.map(() => '?')));
  const { rowArrays } = dialect;
  if (rowArrays === null) return of;
  const values = eventValues(EVENT_TYPES.map((_, index) => rowArrays.value(index + 1)));
  const many = `${INSERT_EVENT} select ${values} from ${rowArrays.source(EVENT_TYPES)}`;
  return (...each) => ({ ...of(...each), many });
}

/** The statements that read and write the event log. */
export interface EventStatements {
  readonly addShape: Prepare;
  /** Notes that a block has events of a shape. Parameters: block, JSON of the shape, slot. */
  readonly addBlockShape: Prepare;
  /** Parameters: sequence, JSON of the shape, base, at, id, id of the resource, origin, data, detail. */
  readonly addEvent: Prepare;
  /** Parameters: JSON of the shape, data, detail, sequence. */
  readonly replaceEvent: Prepare;
  /** Stores the times of a block that is full. Parameters: block, first and last time, first and last id, slot. */
  readonly addTimes: Prepare;
  /** @param sequences strings, as a JSON array */
  readonly of: (sequences: string) => Statement;
  /** Parameters: sequences (exclusive, inclusive), times (inclusive, exclusive), limit. */
  readonly window: Prepare;
  /** Parameters: sequences (exclusive, inclusive). Column: `type`. */
  readonly types: Prepare;
  /** The packed id of the resource, then as `window`. */
  readonly ofResource: Prepare;
  /** The id of a shape, its first and last block, the id again, then as `window`. Column: `sequence`. */
  readonly ofShape: Prepare;
  /** Columns: `id`, `type`, `resource`. */
  readonly shapes: Prepare;
  /** Parameters: the time of an id twice, and the packed id. */
  readonly byId: Prepare;
  /** The blocks with times in a range (inclusive, exclusive). Columns: `first`, `last`. */
  readonly blocks: Prepare;
  /**
   * Columns: `removed`, the last sequence that was removed, `last`, the last one that was assigned, and `since`, the
   * first time of the first block.
   */
  readonly range: Prepare;
  /**
   * The last block of the log with times before one alone (`before` twice, then `now`), up to the first block that
   * certainly is younger. Column: `block`.
   */
  readonly expiredBlock: Prepare;
  /**
   * Removes the shapes of a block that no later event has. Parameters: the block twice, and the sequences that stay in
   * it (exclusive, inclusive).
   */
  readonly removeShapes: Prepare;
  /** Removes what is noted of a block without events between two sequences (exclusive, inclusive). */
  readonly removeBlockShapes: Prepare;
  /** Parameters: sequences (exclusive, inclusive). */
  readonly removeEvents: Prepare;
  /** Removes the times of a block without events between two sequences (exclusive, inclusive). */
  readonly removeTimes: Prepare;
  /** The same of the times in slots; null without slots. */
  readonly removeOpenTimes: Prepare | null;
}

/**
 * The times of each block of the log: those of the last one stand in the row of the log while it is not full. Each slot
 * has times of its own.
 */
export function findPlaces({ numbers }: Dialect): string {
  const columns = 'select block, first_at, last_at, first_id, last_id';
  const open =
    numbers === 'counted' ? `${FROM_LOG} and block is not null` : 'from restwright_slots where block is not null';
  return `(${columns} from restwright_event_blocks union all ${columns} ${open}) as place`;
}

/** The blocks with events of each shape: several slots may have noted one. */
const BLOCKS_OF_SHAPE: Readonly<Record<Dialect['numbers'], string>> = {
  counted: 'restwright_block_shapes',
  allocated: '(select distinct shape, block from restwright_block_shapes)',
};

/** The statements that find and remove expired parts of the log. */
function removalStatements(of: (text: string) => Prepare, dialect: Dialect) {
  const places = findPlaces(dialect);
  const isEmpty = 'not exists (select 1 from restwright_events where sequence > ? and sequence <= ?)';
  return {
    range:
      of(`select coalesce((select sequence from restwright_readers where name = '${RETENTION_READER}'), 0) as removed, ${selectLastSequence(dialect)} as event,
  (select first_at from ${places} order by block, first_at limit 1) as since`),
    expiredBlock: of(`select max(block) as block from ${places} where last_at < ? and block <
  coalesce((select min(block) from ${places} where last_at >= ? and last_at <= ?), ${Number.MAX_SAFE_INTEGER})`),
    removeShapes: of(`delete from restwright_event_shapes where id in
  (select shape from restwright_block_shapes where block = ?)
  and not exists (select 1 from restwright_block_shapes as later where later.shape = restwright_event_shapes.id and later.block > ?)
  and not exists (select 1 from restwright_events as later
    where later.sequence > ? and later.sequence <= ? and later.shape = restwright_event_shapes.id)`),
    removeEvents: of('delete from restwright_events where sequence > ? and sequence <= ?'),
    removeTimes: of(`delete from restwright_event_blocks where block = ? and ${isEmpty}`),
    removeBlockShapes: of(`delete from restwright_block_shapes where block = ? and ${isEmpty}`),
    removeOpenTimes:
      dialect.numbers === 'counted'
        ? null
        : of(`update restwright_slots set block = null, first_at = null, last_at = null, first_id = null, last_id = null
where block = ? and ${isEmpty}`),
  };
}

type Notes = Pick<EventStatements, 'addShape' | 'addBlockShape' | 'addTimes'>;

/** The statements that note events of a counted log: no two transactions note any together. */
function countedNotes(of: (text: string) => Prepare): Notes {
  const addBlockShape = of(`insert into restwright_block_shapes (block, shape)
values (?, (select id from restwright_event_shapes where shape = ?)) on conflict do nothing`);
  const addTimes = of(
    'insert into restwright_event_blocks (block, first_at, last_at, first_id, last_id) values (?, ?, ?, ?, ?)',
  );
  return {
    // Values, not a query of the table: SQLite copies the result of one into a table of its own first.
    addShape: of(`insert into restwright_event_shapes (id, type, resource, shape)
values ((select coalesce(max(id), 0) + 1 from restwright_event_shapes), ?, ?, ?) on conflict (shape) do nothing`),
    addBlockShape: (block = null, shape = null) => addBlockShape(block, shape),
    addTimes: (...values) => addTimes(...values.slice(0, 5)),
  };
}

/** The statements that note events in the slot of a transaction. */
function slotNotes(of: (text: string) => Prepare): Notes {
  const addShape = of(`insert into restwright_event_shapes (id, type, resource, shape)
select nextval('${ALLOCATORS.shape}'), ?, ?, ? where not exists (select 1 from restwright_event_shapes where shape = ?)
on conflict (shape) do nothing`);
  return {
    addShape: (type = null, resource = null, shape = null) => addShape(type, resource, shape, shape),
    addBlockShape: of(`insert into restwright_block_shapes (block, shape, slot)
values (?, (select id from restwright_event_shapes where shape = ?), ?) on conflict do nothing`),
    addTimes: of(`insert into restwright_event_blocks (block, first_at, last_at, first_id, last_id, slot)
values (?, ?, ?, ?, ?, ?) on conflict (block, slot) do update set
  first_at = least(restwright_event_blocks.first_at, excluded.first_at),
  last_at = greatest(restwright_event_blocks.last_at, excluded.last_at),
  first_id = least(restwright_event_blocks.first_id, excluded.first_id),
  last_id = greatest(restwright_event_blocks.last_id, excluded.last_id)`),
  };
}

export const eventStatements = weakMemoize((dialect: Dialect): EventStatements => {
  const of = (text: string): Prepare => prepareStatement(dialect, text);
  const int64 = dialect.columnType({ kind: 'int64' });
  const inPlace = (event: string): string =>
    `${event}.sequence > place.block * ${BLOCK_SIZE} and ${event}.sequence <= (place.block + 1) * ${BLOCK_SIZE}`;
  return {
    ...(dialect.numbers === 'counted' ? countedNotes(of) : slotNotes(of)),
    addEvent: addEvent(dialect),
    replaceEvent: of(`update restwright_events
set shape = (select id from restwright_event_shapes where shape = ?), data = ?, detail = ? where sequence = ?`),
    of: of(`select ${COLUMNS} ${FROM}
where event.sequence in (select cast(value as ${int64}) from ${dialect.textRows('?')}) order by event.sequence`),
    window: of(`select ${COLUMNS} ${FROM} where ${WINDOW} order by event.sequence limit ?`),
    types: of(`select distinct type from restwright_event_shapes
where id in (select shape from restwright_events where sequence > ? and sequence <= ?)`),
    ofResource: of(
      `select ${COLUMNS} ${FROM} where event.resource_id = ? and ${WINDOW} order by event.sequence limit ?`,
    ),
    // SQLite does not reorder a cross join: the blocks come first, in order, and no row is sorted.
    ofShape:
      of(`select event.sequence from ${BLOCKS_OF_SHAPE[dialect.numbers]} as place cross join restwright_events as event
where place.shape = ? and place.block >= ? and place.block <= ? and ${inPlace('event')} and event.shape = ? and ${WINDOW}
order by place.block, event.sequence limit ?`),
    shapes: of('select id, type, resource from restwright_event_shapes'),
    // A subquery, for which SQLite builds no index of its own of the whole log.
    byId: of(`select ${COLUMNS} from ${findPlaces(dialect)} cross join restwright_events as event
join restwright_event_shapes as shape on shape.id = event.shape
where place.first_id <= ? and place.last_id >= ? and event.sequence =
  (select found.sequence from restwright_events as found where ${inPlace('found')} and found.id = ?)`),
    blocks: of(
      `select min(block) as first, max(block) as last from ${findPlaces(dialect)} where last_at >= ? and first_at < ?`,
    ),
    ...removalStatements(of, dialect),
  };
});

/** The statements that remove the events of a block up to a sequence. All blocks before it are removed already. */
export function removeBlock(dialect: Dialect, through: number): readonly Statement[] {
  const { removeShapes, removeEvents, removeTimes, removeBlockShapes, removeOpenTimes } = eventStatements(dialect);
  const block = findBlock(through);
  const start = block * BLOCK_SIZE;
  const end = start + BLOCK_SIZE;
  return [
    removeShapes(block, block, through, end),
    removeEvents(start, through),
    removeTimes(block, start, end),
    ...(removeOpenTimes === null ? [] : [removeOpenTimes(block, start, end)]),
    removeBlockShapes(block, start, end),
  ];
}
