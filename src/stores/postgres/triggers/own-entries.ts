import type { WritePlan } from '../../../plan/plan.ts';
import type { Statement } from '../../sql/dialect.ts';
import type { Tables } from '../../sql/tables.ts';
import type { PostgresConnection } from '../driver/pg.ts';
import { arrayLiteral } from '../dialect/literals.ts';
import { OWN_WRITE, QUEUE } from './foreign-queue.ts';

const MARK = `select set_config('${OWN_WRITE}', $1, true)`;

/** The number of the table of a resource in the database; null where its changes are not recorded. */
function recordedTable(tables: Tables, resource: string): number | null {
  const { existing } = tables.of(resource);
  return existing?.recorded === null ? null : (existing?.oid ?? null);
}

/** The statement before one that writes a row of a table, by which triggers make no entry for that row alone. */
export function markOwnWrite(tables: Tables, resource: string): readonly Statement[] {
  const oid = recordedTable(tables, resource);
  return oid === null ? [] : [{ text: MARK, values: [String(oid)] }];
}

/** Tables with entries that are committed, and not in the log. */
const WAITING = `select wanted.oid::bigint as oid from unnest($1::oid[]) as wanted(oid)
where exists (select from ${QUEUE} where resource_table::oid = wanted.oid)`;

const ADD = `insert into ${QUEUE} (resource_table, command, plan) select $1::oid, 'P', value from jsonb_array_elements($2::jsonb)`;

/**
 * Lets the events of written rows wait behind entries of their tables. So the log has the events of a row in the order
 * of its changes. While a row is locked, all of its earlier changes are entries, or in the log.
 *
 * @returns the plans, without what waits
 */
export async function queueBehind(
  session: PostgresConnection,
  tables: Tables,
  plans: readonly WritePlan[],
): Promise<readonly WritePlan[]> {
  const number = ({ resource, written }: WritePlan): number | null =>
    written === undefined ? null : recordedTable(tables, resource);
  const oids = new Set(plans.map(number).filter((oid) => oid !== null));
  if (oids.size === 0) return plans;
  const { rows } = await session.query(WAITING, [arrayLiteral([...oids])]);
  const waiting = new Set(rows.map((row) => Number(row['oid'])));
  for (const oid of waiting) {
    const queued = plans.filter((plan) => number(plan) === oid);
    await session.query(ADD, [oid, JSON.stringify(queued)]);
  }
  return plans.map((plan) => (waiting.has(number(plan) ?? 0) ? withoutRecords(plan) : plan));
}

function withoutRecords(plan: WritePlan): WritePlan {
  const { related: _related, ...rest } = plan;
  if (rest.kind !== 'delete') return { ...rest, event: null };
  const { tombstone: _tombstone, ...deleted } = rest;
  return { ...deleted, event: null };
}
