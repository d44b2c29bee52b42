import type { SqlValue } from '../../sql/dialect.ts';
import type { PostgresConnection } from '../driver/pg.ts';
import type { PairPlan } from './pair-schema.ts';
import { BLOCK, type SharedTable } from './shared-table.ts';

/**
 * Checks the rows of a pair before the older model ends, block by block, without a lock. Instances of that model have
 * written values that the newer schema may not allow, and that the newer model would lose with their columns.
 */
export async function checkPair(session: PostgresConnection, { shared, conversion: plan }: PairPlan): Promise<void> {
  const tables = new Map(shared?.tables.map((table) => [table.name, table]));
  for (const conversion of plan.conversions) {
    const table = tables.get(conversion.table.name);
    if (table === undefined) continue;
    await readBlocks(session, table, (row) => {
      conversion.note(table.findProblems(row), String(row[`key ${table.key.length}`]));
    });
  }
}

async function readBlocks(
  session: PostgresConnection,
  table: SharedTable,
  check: (row: Readonly<Record<string, SqlValue>>) => void,
): Promise<void> {
  for (let after: readonly string[] = []; ; ) {
    const { rows } = await session.query(table.selectWithMarks(after.length === 0), after);
    for (const row of rows) check(row);
    const last = rows.at(-1);
    if (last === undefined || rows.length < BLOCK) return;
    after = table.key.map((_, at) => String(last[`key ${at}`]));
  }
}
