import type { Model } from '../../model/model.ts';
import { monotonicNow, systemClock } from '../../platform/clock.ts';
import { openEmptyTarget, selectKind } from '../../stores/databases/databases.ts';
import { type CopyOutcome, copyDatabase, leasedUntil, TargetNotEmpty } from '../../stores/sql/copy/copy-database.ts';
import { LossySchemaChange, SchemaViolation, UnusableDatabase } from '../../stores/sql/schema/schema-errors.ts';
import { commandFailed, describeFileError, type ExitCode, usageError } from '../command-error.ts';
import { type CommandSpec, DRIVER_OPTION, jsonOption, MODEL_ARGUMENT } from '../command-spec.ts';
import { findModel } from '../model-file/find-model.ts';
import { requireModel, requireOwnRows } from '../model-file/read-model.ts';
import { migrateCommand } from '../open-database.ts';
import { displayedPath, isMissingFile, namedDatabase, type UsedDatabase } from '../database-settings.ts';
import { countNoun, reportProgress } from '../terminal/progress.ts';
import { toExitCode, readStopSignal, supportsColour, type Terminal } from '../terminal/terminal.ts';

interface CopyFlags {
  readonly from?: string;
  readonly to?: string;
  readonly driver?: string;
  readonly json?: boolean;
}

/** A copy of the database of a model. */
interface CopyJob {
  readonly model: Model;
  readonly from: UsedDatabase;
  readonly to: UsedDatabase;
  readonly signal: AbortSignal;
}

/**
 * Copies everything that a database stores to an empty one.
 *
 * @returns 0 when all of it is copied, 130 or 143 when a signal stopped it
 * @throws {CommandError} exit 2 without `--from` or `--to`; exit 1 for an invalid model, an unusable source and a
 *   target that is not empty. The target is as it was then
 */
async function copyCommand(file: string, flags: CopyFlags, terminal: Terminal): Promise<ExitCode> {
  const { from: source, to: target } = flags;
  if (source === undefined || target === undefined)
    throw usageError(
      'Missing --from or --to. Pass both databases, for example --from ./data/shop.db --to postgres://USER@HOST/DATABASE.',
    );
  const { model } = await requireModel(file, terminal.env);
  requireOwnRows(model, 'copy', 'They copy what the server stores, too.');
  const used = (flag: 'from' | 'to', database: string): UsedDatabase =>
    namedDatabase({ flag: `--${flag}`, database, driver: flags.driver, name: model.name }, terminal.env);
  const job = { model, from: used('from', source), to: used('to', target), signal: terminal.stopSignal() };
  await requireCurrent(job, file);
  const outcome = await runCopy(job, terminal);
  const result = { from: displayedPath(job.from.database), to: displayedPath(job.to.database), outcome };
  if (flags.json === true) terminal.stdout.write(`${JSON.stringify(asJson(result), null, 2)}\n`);
  else terminal.stderr.write(`${summary(result)}\n`);
  return outcome.kind === 'stopped' ? toExitCode(readStopSignal(job.signal)) : 0;
}

/** @throws {CommandError} exit 1 where the source does not exist, or does not match the model */
async function requireCurrent({ model, from }: CopyJob, file: string): Promise<void> {
  const shown = displayedPath(from.database);
  if (isMissingFile(from)) throw commandFailed(`the database ${shown} does not exist; select another one with --from.`);
  const steps = await describing(from, () => selectKind(from.database).plan(from, { model, phase: null }));
  if (steps.length === 0) return;
  const command = migrateCommand({ database: from.database, modelFile: file }, model.name);
  throw commandFailed(`${shown} does not match ${file}. Migrate it first: ${command} --apply`);
}

async function runCopy({ model, from, to, signal }: CopyJob, terminal: Terminal): Promise<CopyOutcome> {
  const progress = reportProgress(model.name, terminal.stderr, supportsColour(terminal.stderr, terminal.env));
  const [fromKind, toKind] = [selectKind(from.database), selectKind(to.database)];
  const source = await describing(from, () => fromKind.copy.source(from));
  try {
    warnOfUse(await leasedUntil(source, systemClock.now()), from, terminal);
    const target = await describing(to, () => openEmptyTarget(to, model));
    const start = monotonicNow();
    const onProgress = (done: number, total: number): void =>
      progress.show({ rows: done, done, start: 0, total, elapsed: monotonicNow() - start });
    const dialects = { from: fromKind.dialect, to: toKind.dialect };
    try {
      return await describing(to, () => copyDatabase({ model, dialects, source, target, signal, onProgress }));
    } finally {
      await target.close();
    }
  } finally {
    progress.end();
    await source.close();
  }
}

function warnOfUse(until: number | null, from: UsedDatabase, { stderr }: Terminal): void {
  if (until === null) return;
  stderr.write(
    `a server is using ${displayedPath(from.database)}: the copy does not include its writes and deliveries from now on. To move the database, stop the server first.\n`,
  );
}

/** Names the database in the error of what is done with it. */
async function describing<T>(used: UsedDatabase, run: () => Promise<T>): Promise<T> {
  const shown = displayedPath(used.database);
  try {
    return await run();
  } catch (error) {
    if (error instanceof TargetNotEmpty)
      throw commandFailed(`${shown} is not empty: ${error.message}. Name a new file, or another schema, with --to.`);
    const isNamed =
      error instanceof UnusableDatabase || error instanceof SchemaViolation || error instanceof LossySchemaChange;
    if (isNamed) throw commandFailed(error.message);
    throw commandFailed(`${shown}: the copy failed, and the target is unchanged: ${describeFileError(error)}`);
  }
}

interface CopyResult {
  readonly from: string;
  readonly to: string;
  readonly outcome: CopyOutcome;
}

function asJson({ from, to, outcome: { kind, ...counts } }: CopyResult): object {
  return { from, to, outcome: kind, ...counts };
}

function summary({ from, to, outcome }: CopyResult): string {
  if (outcome.kind === 'stopped') return `stopped; ${to} is unchanged. Run the same command again to copy everything.`;
  const counts = `${countNoun(outcome.rows, 'row')} and ${countNoun(outcome.events, 'event')}`;
  return `copied ${counts} from ${from} to ${to}`;
}

export const copySpec: CommandSpec = {
  name: 'copy',
  group: 'Data:',
  summary: 'copy a database, also between SQLite and PostgreSQL',
  description:
    'Copies a whole database to an empty one: rows with their ids, timestamps and revisions, the event log, deliveries and keys. Each of the two can be a SQLite file or a PostgreSQL schema.',
  arguments: [MODEL_ARGUMENT],
  options: [
    {
      name: 'from',
      value: { name: 'database', completes: 'file' },
      description: 'database to read: a path, sqlite:PATH, or postgres://USER@HOST/DATABASE; required',
      group: 'Database:',
    },
    {
      name: 'to',
      value: { name: 'database', completes: 'file' },
      description: 'database to write, which must be empty or must not exist yet; required',
      group: 'Database:',
    },
    DRIVER_OPTION,
    jsonOption('the result'),
  ],
  notes: `The copy is a single transaction. If it is interrupted, the target is unchanged;
run the same command again.

Examples:
  restwright copy shop.yaml --from ./data/shop.db --to postgres://shop@db.example.com/shop
  restwright copy shop.yaml --from postgres://shop@db.example.com/shop --to ./backup.db
`,
  run: ([file], flags: CopyFlags, terminal) =>
    copyCommand(file === undefined || file === '' ? findModel() : file, flags, terminal),
};
