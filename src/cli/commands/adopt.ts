import type { Adoption } from '../../stores/postgres/triggers/adopt-tables.ts';
import { selectKind } from '../../stores/databases/databases.ts';
import { CommandError, commandFailed, type ExitCode, usageError } from '../command-error.ts';
import { type CommandSpec, DATABASE_OPTIONS, jsonOption, MODEL_ARGUMENT } from '../command-spec.ts';
import { type DatabaseFlags, databaseLocation, usedDatabase } from '../database-settings.ts';
import { findModel } from '../model-file/find-model.ts';
import { requireModel } from '../model-file/read-model.ts';
import { databaseError } from '../open-database.ts';
import type { Terminal } from '../terminal/terminal.ts';

interface AdoptFlags extends DatabaseFlags {
  readonly remove?: boolean;
  readonly role?: string;
  readonly check?: boolean;
  readonly apply?: boolean;
  readonly json?: boolean;
}

/**
 * Prints the statements by which writes of other programs become events, and runs them with `--apply`.
 *
 * @returns 0; 1 if `--check` finds a table whose changes are not recorded
 * @throws {CommandError} exit 2 for options that exclude each other; exit 1 for an invalid model, and for a database
 *   that cannot be used
 */
async function adopt(file: string, flags: AdoptFlags, terminal: Terminal): Promise<ExitCode> {
  requireCompatible(flags);
  const { remove = false, apply = false, role = null } = flags;
  const { model } = await requireModel(file, terminal.env);
  const used = usedDatabase(databaseLocation(flags, terminal.env), model.name);
  const kind = selectKind(used.database);
  if (kind.adopt === null)
    throw commandFailed('triggers record changes in PostgreSQL alone; name its URL with --database.');
  try {
    const adoption = await kind.adopt(used, { model, remove, apply, role });
    if (adoption.tables.length === 0 && !remove)
      throw commandFailed(`no resource of ${file} has \`changes: triggers\`; set it for the tables to adopt.`);
    terminal.stdout.write(flags.json === true ? toJsonText(adoption) : describeAdoption(adoption, flags));
    const isRecorded = adoption.tables.every(({ triggers }) => triggers === 'enabled');
    return flags.check === true && !isRecorded ? 1 : 0;
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw databaseError(error, { ...used, modelFile: file }, model.name);
  }
}

function toJsonText({ tables, statements }: Adoption): string {
  const named = tables.map(({ name, triggers, hasHeirs }) => ({ table: name, triggers, inherited: hasHeirs }));
  return `${JSON.stringify({ tables: named, statements }, null, 2)}\n`;
}

function describeAdoption({ tables, statements }: Adoption, { check, apply }: AdoptFlags): string {
  const heirs = tables
    .filter(({ hasHeirs }) => hasHeirs)
    .map(({ name }) => `-- ${name}: rows of tables that inherit from it change without an event`);
  if (check === true) return [...tables.map(({ name, triggers }) => `${name}: ${triggers}`), ...heirs, ''].join('\n');
  if (statements.length === 0) return [...heirs, '-- nothing is left to do', ''].join('\n');
  const end = apply === true ? '-- done' : '-- nothing is changed without --apply';
  return [...heirs, ...statements.map((statement) => `${statement};`), end, ''].join('\n');
}

/** @throws {CommandError} exit 2 for options that exclude each other */
function requireCompatible({ check, apply, remove, role }: AdoptFlags): void {
  if (check === true && (apply === true || remove === true))
    throw usageError('--check changes nothing; use it without --apply and --remove.');
  if (remove === true && role !== undefined)
    throw usageError('--role and --remove cannot be combined; pass one of them.');
}

export const adoptSpec: CommandSpec = {
  name: 'adopt',
  group: 'Data:',
  summary: 'let writes of other programs to tables that exist become events',
  description:
    'Shows the SQL that creates triggers for the tables of a model with `changes: triggers`, or removes them. Their changes then become events. Changes nothing without --apply.',
  arguments: [MODEL_ARGUMENT],
  options: [
    ...DATABASE_OPTIONS,
    { name: 'apply', value: null, description: 'run the statements: all of them, or none' },
    { name: 'check', value: null, description: 'show if the triggers are there and enabled; exit 1 if not' },
    { name: 'remove', value: null, description: 'remove everything that adopt has created, for all tables' },
    {
      name: 'role',
      value: { name: 'name', completes: 'none' },
      description: 'role of the server, which gets its rights; default: the role of the URL needs none',
    },
    jsonOption('the tables and statements'),
  ],
  notes: `Needs the rights of the owner of the tables, and CREATE for the schema restwright.

Examples:
  restwright adopt shop.yaml --database postgres://owner@db.example.com/shop
  restwright adopt shop.yaml --database postgres://owner@db.example.com/shop --role api --apply
  restwright adopt shop.yaml --database postgres://owner@db.example.com/shop --check
  restwright adopt shop.yaml --database postgres://owner@db.example.com/shop --remove --apply
`,
  run: ([model = findModel()], flags: AdoptFlags, terminal) => adopt(model, flags, terminal),
};
