import { weakMemoize } from '../../../cache/memoize.ts';
import type { Dialect, Statement } from '../dialect.ts';
import { type Prepare, prepare } from '../prepare.ts';

/** Events of a block of the log: consecutive sequences. The times of a block and the origins in it are stored once, and it is removed as a whole. */
export const BLOCK_SIZE = 1_024;

/** The number of the block of a sequence. */
export function blockOf(sequence: number): number {
  return Math.floor((sequence - 1) / BLOCK_SIZE);
}

const COLUMNS = `event.sequence, event.at, event.id, event.resource_id, event.data, event.detail, shape.shape,
  coalesce(event.origin, (select origin from restwright_events as base
    where base.sequence = event.sequence - event.base)) as origin`;
const FROM = 'from restwright_events as event join restwright_event_shapes as shape on shape.id = event.shape';
const WINDOW = 'event.sequence > ? and event.sequence <= ? and event.at >= ? and event.at < ?';

/** The statements that read and write the event log. */
export interface EventStatements {
  readonly addShape: Prepare;
  readonly addEvent: Prepare;
  readonly addTimes: Prepare;
  /** @param sequences strings, as a JSON array */
  readonly of: (sequences: string) => Statement;
  /** Parameters: sequences (exclusive, inclusive), times (inclusive, exclusive), limit. */
  readonly window: Prepare;
  /** The packed id of the resource, then as `window`. */
  readonly ofResource: Prepare;
  /** The id of a shape, then as `window`. Column: `sequence`. */
  readonly ofShape: Prepare;
  /** Columns: `id`, `type`, `resource`. */
  readonly shapes: Prepare;
  /** Parameters: the packed id, and its time twice. */
  readonly byId: Prepare;
  /** The blocks with times in a range (inclusive, exclusive). Columns: `first`, `last`. */
  readonly blocks: Prepare;
  /** Column: `first`, the first block. */
  readonly firstBlock: Prepare;
}

export const eventStatements = weakMemoize((dialect: Dialect): EventStatements => {
  const of = (text: string): Prepare => prepare(dialect, text);
  const int64 = dialect.columnType({ kind: 'int64' });
  const block = (edge: string): string => `block * ${BLOCK_SIZE} + ${edge}`;
  const extended = (which: 'least' | 'greatest', column: string): string =>
    `${column} = ${dialect.either(which, `restwright_event_blocks.${column}`, `excluded.${column}`)}`;
  return {
    addShape: of(`insert into restwright_event_shapes (id, type, resource, shape)
select coalesce(max(id), 0) + 1, ?, ?, ? from restwright_event_shapes where true on conflict (shape) do nothing`),
    addEvent: of(`insert into restwright_events (sequence, shape, base, at, id, resource_id, origin, data, detail)
values (?, (select id from restwright_event_shapes where shape = ?), ?, ?, ?, ?, ?, ?, ?)`),
    addTimes:
      of(`insert into restwright_event_blocks (block, first_at, last_at, first_id, last_id) values (?, ?, ?, ?, ?)
on conflict (block) do update set ${extended('least', 'first_at')}, ${extended('greatest', 'last_at')},
  ${extended('least', 'first_id')}, ${extended('greatest', 'last_id')}`),
    of: of(`select ${COLUMNS} ${FROM}
where event.sequence in (select cast(value as ${int64}) from ${dialect.textRows('?')}) order by event.sequence`),
    window: of(`select ${COLUMNS} ${FROM} where ${WINDOW} order by event.sequence limit ?`),
    ofResource: of(
      `select ${COLUMNS} ${FROM} where event.resource_id = ? and ${WINDOW} order by event.sequence limit ?`,
    ),
    ofShape: of(`select event.sequence from restwright_events as event
where event.shape = ? and ${WINDOW} order by event.sequence limit ?`),
    shapes: of('select id, type, resource from restwright_event_shapes'),
    byId: of(`select ${COLUMNS} from restwright_event_blocks as place
join restwright_events as event on event.sequence > ${block('0')} and event.sequence <= ${block(String(BLOCK_SIZE))}
join restwright_event_shapes as shape on shape.id = event.shape
where event.id = ? and place.first_id <= ? and place.last_id >= ?`),
    blocks: of(`select min(block) as first, max(block) as last from restwright_event_blocks
where last_at >= ? and first_at < ?`),
    firstBlock: of('select min(block) as first from restwright_event_blocks'),
  };
});
