/** `restwright/stores`: stores, and the import and export of their rows. */
export type { RowImportError, RowImportOutcome } from '../api.ts';
export type { CsvReader, CsvWriter } from '../formats/csv.ts';
export type { ExportedRows } from '../operations/read/export.ts';
export type { Bookmark } from '../plan/bookmark.ts';
export type { CsvFormat, ExportOptions, ImportOptions, RowTransfer } from '../row-transfer.ts';
export type { DriverName } from '../stores/sqlite/driver/driver.ts';
export { openSqlite, type SqliteOptions } from '../stores/sqlite/sqlite-store.ts';
export type { Store } from '../stores/store.ts';
