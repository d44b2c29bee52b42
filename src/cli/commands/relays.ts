import { readNumber, readString } from '../../model/values/access.ts';
import type { Row } from '../../plan/plan.ts';
import { commandFailed, type ExitCode } from '../command-error.ts';
import { type CommandSpec, DATABASE_OPTIONS, jsonOption, MODEL_ARGUMENT } from '../command-spec.ts';
import { type DatabaseFlags, databaseLocation, requireDatabase, usedDatabase } from '../database-settings.ts';
import { findModel } from '../model-file/find-model.ts';
import { requireModel } from '../model-file/read-model.ts';
import { openWithoutServer } from '../open-database.ts';
import { alignColumns } from '../terminal/align-columns.ts';
import { styled, supportsColour, type Terminal } from '../terminal/terminal.ts';

interface RelaysFlags extends DatabaseFlags {
  readonly json?: boolean;
}

/**
 * Prints the relays of a model: their state, position, lag and last error.
 *
 * @throws {CommandError} exit 1 for a model without relays, and for a database that cannot be read
 */
async function listRelays(file: string, flags: RelaysFlags, terminal: Terminal): Promise<ExitCode> {
  const { env, stdout } = terminal;
  const { model } = await requireModel(file, env);
  if (model.relays === null) throw commandFailed(`${file} has no relays; add events: { relays: [..] } to it.`);
  const used = usedDatabase(databaseLocation(flags, env), model.name);
  requireDatabase(used);
  const { api, close } = await openWithoutServer(model, { ...used, modelFile: file }, terminal);
  try {
    const rows = (await api.relays.rows?.list()) ?? [];
    if (flags.json === true) stdout.write(`${JSON.stringify(rows.map(toJson), null, 2)}\n`);
    else stdout.write(`${writeTable(rows, supportsColour(stdout, env)).join('\n')}\n`);
    return 0;
  } finally {
    await close();
  }
}

function toJson({ id, revision: _revision, created_at: _created, ...row }: Row): object {
  return { name: id, ...row };
}

const HEAD = ['name', 'broker', 'state', 'position', 'lag', 'last error'];

function writeTable(rows: readonly Row[], colour: boolean): readonly string[] {
  if (rows.length === 0) return ['No relay has run yet: serve the model.'];
  const [head = '', ...lines] = alignColumns([HEAD, ...rows.map(toCells)]);
  return [styled('bold', head.trimEnd(), colour), ...lines.map((line) => line.trimEnd())];
}

function toCells({ id, broker, address, state, position, lag, last_error: error, last_error_at: at }: Row): string[] {
  return [
    id,
    `${readString(broker)} ${readString(address)}`,
    readString(state) ?? '',
    String(Number(readString(position) ?? 0)),
    String(readNumber(lag) ?? 0),
    error === null ? '' : `${readString(error)} (${readString(at)})`,
  ];
}

export const relaysSpec: CommandSpec = {
  name: 'relays',
  group: 'Data:',
  summary: 'list the relays to message brokers, with their lag',
  description:
    'Lists the relays of a model to message brokers: their state, their position in the event log, the events after it, and their last error.',
  arguments: [MODEL_ARGUMENT],
  options: [...DATABASE_OPTIONS, jsonOption('the relays')],
  notes: `Examples:
  restwright relays shop.yaml
  restwright relays shop.yaml --json
`,
  run: ([model = findModel()], flags: RelaysFlags, terminal) => listRelays(model, flags, terminal),
};
