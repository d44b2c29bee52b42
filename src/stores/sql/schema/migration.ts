import type { Dialect, Statement } from '../dialect.ts';
import { selectLastRevision } from '../log-numbers.ts';
import { METADATA, type SystemStatements } from '../system-statements.ts';
import { dropTombstones, renameTombstones } from '../tombstones.ts';
import { storageType, type TableSchema } from './schema.ts';
import type { SchemaChange } from './schema-changes.ts';
import {
  type Consent,
  describeBrokenRule,
  LossySchemaChange,
  type SchemaStep,
  type StepLock,
  SchemaViolation,
  UnusableDatabase,
} from './schema-errors.ts';
import { systemTables, upgradeStatements } from './system-upgrades.ts';

/** The storage type of each column, by table and column. */
export type StorageTypes = Readonly<Record<string, Readonly<Record<string, string>>>>;

const SECRET_BYTES = 32;

const CHANGED =
  'Another program has changed its schema, and a process that joins others does not migrate it. ' +
  'Serve the model that it was changed for, or restart all processes to migrate it to this one.';

/**
 * The format of the system tables; 0 for an empty database.
 *
 * @param readFormat reads the recorded format
 * @param newest that of this version
 * @throws {UnusableDatabase} where the database belongs to another program or to a newer version
 */
export function databaseFormat(tableNames: readonly string[], readFormat: () => string | null, newest: number): number {
  if (tableNames.length === 0) return 0;
  if (!tableNames.includes('restwright_meta')) {
    throw new UnusableDatabase('It has tables that Restwright did not create. Use a separate database for the API.');
  }
  const format = Number(readFormat());
  if (format >= 1 && format <= newest) return format;
  throw new UnusableDatabase(
    `It has format ${format}, and this version of Restwright reads format ${newest}. Use the version that created it, or a newer one.`,
  );
}

/** @param format that of the database @throws {UnusableDatabase} for an empty database */
export function requireExisting(format: number): void {
  if (format === 0) throw new UnusableDatabase('It is empty. Restore it, or restart all processes.');
}

/** The key that seals cursors. @param recorded as hexadecimal digits @throws {UnusableDatabase} where it is missing */
export function parseSecret(recorded: string | null): Uint8Array {
  if (recorded === null) throw new UnusableDatabase('Its secret is missing. Restore it from a backup.');
  return new Uint8Array(Buffer.from(recorded, 'hex'));
}

/** The statements that create or upgrade the system tables. @param format that of the database */
export function systemTableChanges(format: number, dialect: Dialect): readonly string[] {
  return format === 0 ? systemTables(dialect) : upgradeStatements(format, dialect);
}

/**
 * The statements that record the format, and the metadata of a new database.
 *
 * @param format that of the database, and of this version
 * @param randomHex random bytes as hexadecimal digits
 */
export function metadataChanges(
  format: { readonly found: number; readonly newest: number },
  system: SystemStatements,
  randomHex: (bytes: number) => string,
): readonly Statement[] {
  const { found, newest } = format;
  if (found === newest) return [];
  const recorded = system.setMetadata(METADATA.format, String(newest));
  if (found !== 0) return [recorded];
  return [
    recorded,
    system.setMetadata(METADATA.storageTypes, '{}'),
    system.setMetadata(METADATA.secret, randomHex(SECRET_BYTES)),
  ];
}

/**
 * @param advice on rows of a version that the model does not convert
 * @throws {SchemaViolation} where the tables of the model cannot hold stored rows
 * @throws {LossySchemaChange} where a step would lose data or leave rows that break a rule, without consent to it
 */
export function requireConsent(steps: readonly SchemaStep[], consent: Consent, advice: string | null): void {
  const broken = steps.flatMap((step) => step.broken);
  const blocking = broken.filter((rule) => rule.blocking);
  if (blocking.length > 0) {
    throw new SchemaViolation(blocking.map(describeBrokenRule), steps, { advice });
  }
  if (consent === 'losses') return;
  if (broken.length > 0 || steps.some(({ losses }) => losses.length > 0)) {
    throw new LossySchemaChange(steps, advice);
  }
}

/** The storage types of the columns of a model. */
export function listStorageTypes(declared: readonly TableSchema[]): StorageTypes {
  return Object.fromEntries(
    declared.map(({ name, columns }) => [
      name,
      Object.fromEntries(columns.map((column) => [column.name, storageType(column.type)])),
    ]),
  );
}

/**
 * The statements that record a migrated schema: the storage types of its columns, the row counts of its tables
 * (PAGE-9), and tombstones.
 */
export function recordStatements(
  storageTypes: StorageTypes,
  changes: readonly SchemaChange[],
  system: SystemStatements,
  dialect: Dialect,
): readonly Statement[] {
  const { quote, placeholder, numbers } = dialect;
  const totals = numbers === 'counted' ? 'restwright_counts' : 'restwright_totals';
  const created = changes.flatMap((change) => {
    if (change.kind === 'rename-table') return [change.to];
    return change.kind === 'create-table' && change.table.kind === 'rows' ? [change.table.name] : [];
  });
  const removed = changes.flatMap((change) => {
    if (change.kind === 'rename-table') return [change.from];
    return change.kind === 'drop-table' ? [change.table.name] : [];
  });
  return [
    system.setMetadata(METADATA.storageTypes, JSON.stringify(storageTypes)),
    ...removed.map((name) => ({
      text: `delete from ${totals} where resource = ${placeholder(1)}`,
      values: [name],
    })),
    ...created.map((name) => ({
      text: `insert into ${totals} (resource, count, change) select ${placeholder(1)}, count(*), ${selectLastRevision(dialect)} from ${quote(name)}`,
      values: [name],
    })),
    ...migrateTombstones(dialect, changes),
  ];
}

/**
 * Migrates tombstones with the tables of their resources: those of a renamed resource move to its new name, those of a
 * dropped one are removed. Their values are converted later (`conversion/tombstone-conversion.ts`).
 */
function migrateTombstones(dialect: Dialect, changes: readonly SchemaChange[]): readonly Statement[] {
  const renamed = changes.flatMap((change) => (change.kind === 'rename-table' ? [change] : []));
  const dropped = changes.flatMap((change) => (change.kind === 'drop-table' ? [change.table.name] : []));
  return [
    // The new name may have been that of another resource, whose tombstones go.
    ...[...dropped, ...renamed.map(({ to }) => to)].map((name) => dropTombstones(dialect, name)),
    ...renamed.map(({ from, to }) => renameTombstones(dialect, from, to)),
  ];
}

/**
 * The error for a step that stored rows do not allow, which only running it shows.
 *
 * @param isInterrupted whether the steps before it stay
 * @param cause what the rows have done
 */
export function violatedStep(
  { purpose }: SchemaStep,
  isInterrupted = false,
  cause = 'rows violate a new rule of the model',
): SchemaViolation {
  const reason = `${purpose}: ${cause}; change the rows first`;
  return new SchemaViolation([reason], [], { isInterrupted });
}

/**
 * The error for rows that refer to rows that do not exist, which only the migrated tables show.
 *
 * @param below whether a reference leads to a row below the same parent
 * @param isInterrupted whether the steps before it stay
 */
export function brokenReference(from: string, to: string, below: boolean, isInterrupted = false): SchemaViolation {
  const rows = `rows of ${from} refer to rows of ${to} that do not exist`;
  const nested =
    `${rows} below the same parent, where ids of ${to} are unique; ` +
    `write id: uuid for ${to}, whose ids are unique everywhere then, or change the rows first`;
  return new SchemaViolation([below ? nested : `${rows}; change the rows first`], [], { isInterrupted });
}

/** @param missing the statements that would migrate the database @throws {UnusableDatabase} where there are any */
export function requireMigrated(missing: readonly string[]): void {
  if (missing.length > 0) throw new UnusableDatabase(`${CHANGED} The model requires:\n${missing.join('\n')}`);
}

/** A step of statements that read and write no rows. */
export function statementsStep(purpose: string, statements: readonly string[], lock: StepLock): SchemaStep {
  return { purpose, statements, cost: { kind: 'constant', rows: 0 }, lock, losses: [], broken: [] };
}

/** Leaves out steps that neither change nor find anything. */
export function omitEmpty(steps: readonly SchemaStep[]): readonly SchemaStep[] {
  return steps.filter(({ statements, losses, broken }) => statements.length + losses.length + broken.length > 0);
}
