import { existsSync } from 'node:fs';
import path from 'node:path';
import { importOrder } from '../../infer/import-order.ts';
import { writeModel } from '../../infer/write-model.ts';
import { commandFailed, type ExitCode } from '../command-error.ts';
import { printSummary } from '../import/import-report.ts';
import { describingStoreErrors } from '../import/store-error.ts';
import { requireModel } from '../model-file/read-model.ts';
import { modelPathFor, writeNewModel } from '../model-file/write-draft.ts';
import { openWithoutServer } from '../open-database.ts';
import { type DatabaseFlags, databaseLocation, displayedPath, usedDatabase } from '../database-settings.ts';
import { toExitCode, readStopSignal, styled, supportsColour, type Terminal } from '../terminal/terminal.ts';
import type { DataFile } from './data-file.ts';
import { type DataImport, type DataImportOutcome, importData } from './import-data.ts';
import { importProgress } from './import-progress.ts';
import { describingErrors, describeRows, inferFile } from './infer-file.ts';

/** Under this name the database stores that the data of `serve` is imported. */
const BOOKMARK = 'data';

/**
 * A data file that is ready to be served: its rows are in the database. Or the exit code of an import that did not
 * complete.
 */
export type PreparedData =
  | { readonly kind: 'ready'; readonly model: string; readonly database: string }
  | { readonly kind: 'incomplete'; readonly exitCode: ExitCode };

/**
 * Prepares a data file to be served: writes the model next to it unless it exists, and imports the rows unless they are
 * imported.
 *
 * @param flags `database` is `sqlite:PATH` or a path; absent for the default, `data/{name}.db` in the folder of the
 *   file
 * @throws {CommandError} exit 2 for a file that cannot be read; exit 1 for invalid data, an invalid model or an
 *   unusable database
 */
export async function prepareData(data: DataFile, flags: DatabaseFlags, terminal: Terminal): Promise<PreparedData> {
  const folder = path.dirname(data.file);
  const model = modelPathFor(data.file);
  if (!existsSync(model)) await writeInferred(data, model, terminal);
  const loaded = await requireModel(model, terminal.env);
  const location = databaseLocation({ database: path.join(folder, 'data', '{name}.db'), ...flags }, terminal.env);
  const chosen = usedDatabase(location, loaded.model.name);
  const file = chosen.database;
  const signal = terminal.stopSignal();
  const used = { ...chosen, modelFile: model };
  const opened = await openWithoutServer(loaded.model, used, terminal);
  const progress = importProgress(terminal);
  try {
    const resources = importOrder(loaded.model);
    const { onProgress } = progress;
    const job: DataImport = {
      data,
      model: loaded.model,
      opened,
      resources,
      bookmark: BOOKMARK,
      requireAll: false,
      events: false,
      signal,
      onProgress,
    };
    const outcome = await describingStoreErrors(data.file, () =>
      describingStoreErrors(data.file, () => describingErrors(data.file, () => importData(job))),
    );
    progress.end();
    const files = { data, model, database: displayedPath(file) };
    return isImported(outcome, files, terminal)
      ? { kind: 'ready', model, database: file }
      : { kind: 'incomplete', exitCode: signal.aborted ? toExitCode(readStopSignal(signal)) : 1 };
  } finally {
    progress.end();
    await opened.close();
  }
}

async function writeInferred(data: DataFile, model: string, terminal: Terminal): Promise<void> {
  const { draft, rows, remarks } = await inferFile(data, terminal);
  await writeNewModel(model, (schema) => writeModel(draft, schema));
  terminal.stderr.write([`wrote ${model}: ${describeRows(rows)}`, ...remarks].map((line) => `${line}\n`).join(''));
}

interface UsedFiles {
  readonly data: DataFile;
  readonly model: string;
  readonly database: string;
}

/** Prints how an import ended. Returns whether all rows are in the database. */
function isImported(outcome: DataImportOutcome, { data, model, database }: UsedFiles, terminal: Terminal): boolean {
  const { stderr, env } = terminal;
  const { file } = data;
  switch (outcome.kind) {
    case 'known': {
      const warning = styled('yellow', 'warning:', supportsColour(stderr, env));
      stderr.write(
        outcome.isChanged
          ? `${warning} ${file} has changed since it was imported. It is not imported again: the API serves the rows in ${database}. ` +
              `To import the file again, delete ${database} and ${model}.\n`
          : `${file} is already imported; its rows are in ${database}\n`,
      );
      return true;
    }
    case 'changed-midway':
      throw commandFailed(
        `${file} has changed since part of it was imported; delete ${database} and ${model} to import it from the start.`,
      );
    case 'imported': {
      const outcomes = [...outcome.resources];
      for (const [collection, each] of outcomes) {
        if (each.kind !== 'complete' || each.rows > 0) printSummary({ file, collection }, each, terminal);
      }
      return outcomes.every(([, each]) => each.kind === 'complete');
    }
  }
}
