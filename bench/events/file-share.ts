import Database from 'better-sqlite3';

const MEBIBYTE = 2 ** 20;

/** The size of a database, and the part of it that the event log has. */
export function fileShare(file: string): string {
  const database = new Database(file, { readonly: true });
  const sizes = database
    .prepare<[], { readonly name: string; readonly size: number }>(
      'select name, sum(pgsize) as size from dbstat where aggregate = true group by name',
    )
    .all();
  database.close();
  const total = sizes.reduce((sum, { size }) => sum + size, 0);
  const log = sizes.filter(({ name }) => /^(sqlite_autoindex_)?restwright_event/.test(name));
  const events = log.reduce((sum, { size }) => sum + size, 0);
  const parts = log.map(({ name, size }) => `${name} ${(size / MEBIBYTE).toFixed(1)}`).join(', ');
  return `${(total / MEBIBYTE).toFixed(1)} MiB, the log ${((events / total) * 100).toFixed(0)} % (${parts})`;
}
