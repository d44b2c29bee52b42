import { snakeName } from '../infer/field-name.ts';
import type { DescribedTable } from './database.ts';

/** Names of columns with the times of a row, the most usual first. */
const NAMES = {
  created_at: 'created_at created created_on date_created creation_date inserted_at'.split(' '),
  updated_at: 'updated_at updated last_update last_updated updated_on date_updated modified modified_at'.split(' '),
} as const;

/** The columns of system members, by the name of the member. */
export type SystemTimes = Readonly<Partial<Record<keyof typeof NAMES, string>>>;

/** Finds the columns that are the times of a row. Their values are date-times and never null. */
export function findSystemTimes(table: DescribedTable): SystemTimes {
  const [created, updated] = [findColumn(table, NAMES.created_at), findColumn(table, NAMES.updated_at)];
  return {
    ...(created === null ? {} : { created_at: created }),
    ...(updated === null ? {} : { updated_at: updated }),
  };
}

function findColumn({ columns }: DescribedTable, names: readonly string[]): string | null {
  const times = columns.filter(({ type, notNull }) => type.kind === 'date-time' && notNull);
  for (const name of names) {
    const column = times.find((each) => snakeName(each.name) === name);
    if (column !== undefined) return column.name;
  }
  return null;
}
