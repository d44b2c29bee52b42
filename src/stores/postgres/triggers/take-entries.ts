import { QUEUE } from './foreign-queue.ts';

/** The least entries that one transaction moves to the log, where as many wait. */
export const ENOUGH_ENTRIES = 500;

/**
 * The bound within which a transaction of another program is moved as a whole: entries, and bytes as they are stored.
 * All of them are in memory.
 */
const MAX_ENTRIES = 5_000;
const MAX_BYTES = 16_777_216;

const OF_TABLES = 'resource_table::oid = any($1::oid[])';

/** An entry is committed that is not in the log yet. It takes no transaction to find none. */
export const WAITS = `select 1 from ${QUEUE} where ${OF_TABLES} limit 1`;

/** The first entries, each with the last one of its transaction. */
const FIRST = `select number, max(number) over (partition by transaction) as last, bytes from (
  select number, transaction, coalesce(pg_column_size(before), 0)
    + coalesce(pg_column_size(after), 0) + coalesce(pg_column_size(plan), 0) as bytes
  from ${QUEUE} where ${OF_TABLES} order by number limit ${MAX_ENTRIES}
) as entry`;

/** The first entries, each with those up to it: their count and size, and the last entry of their transactions. */
const REACHED = `select number, row_number() over up_to as position, max(last) over up_to as reach, sum(bytes) over up_to as bytes
from (${FIRST}) as entry window up_to as (order by number)`;

/**
 * The number of the last entry to take. It is the first one after enough of them at which all transactions have ended,
 * or else the last one within the bound. No entry is left out before it, so that those of a row keep their order.
 */
const LAST = `select coalesce(min(number) filter (where position >= ${ENOUGH_ENTRIES} and reach = number), max(number))
from (${REACHED}) as entry where position <= ${ENOUGH_ENTRIES} or bytes <= ${MAX_BYTES}`;

/** Takes the first entries from the queue. */
export const TAKE = `delete from ${QUEUE} where ${OF_TABLES} and number <= (${LAST})
returning number, resource_table::oid::bigint as table, command::text as command, before::text as before, after::text as after,
  plan::text as plan, floor(extract(epoch from at) * 1000)::bigint as at, transaction::text as transaction`;
