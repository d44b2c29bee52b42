import { versionText } from '../../conventions/versioning.ts';
import type { Model } from '../../model/model.ts';
import { selectKind } from '../../stores/databases/databases.ts';
import type { MigrationPhase } from '../../stores/sql/schema/current-models.ts';
import { olderModel } from '../../versions/return-conversion.ts';
import { type ExitCode, usageError } from '../command-error.ts';
import { type CommandSpec, DATABASE_OPTIONS, jsonOption, MODEL_ARGUMENT } from '../command-spec.ts';
import { migrationJson, migrationText } from '../migrate/migration-report.ts';
import { findModel } from '../model-file/find-model.ts';
import { requireModel } from '../model-file/read-model.ts';
import { databaseError, migrateCommand } from '../open-database.ts';
import { type DatabaseFlags, databaseLocation, isMissingFile, usedDatabase } from '../database-settings.ts';
import type { Terminal } from '../terminal/terminal.ts';

const PHASES: readonly MigrationPhase[] = ['expand', 'contract'];

interface MigrateFlags extends DatabaseFlags {
  readonly apply?: boolean;
  readonly allowDataLoss?: boolean;
  readonly phase?: string;
  readonly to?: string;
  readonly json?: boolean;
}

/**
 * Prints the steps that migrate a database to a model, and applies them with `--apply`.
 *
 * @returns 0 when the plan is printed or applied
 * @throws {CommandError} exit 1 for an invalid model, an unusable database, and a migration that is refused. A
 *   migration is refused for lost data, rows that break a rule (OPS-4), and a phase whose models cannot run next to
 *   each other (OPS-6)
 */
async function migrate(file: string, flags: MigrateFlags, terminal: Terminal): Promise<ExitCode> {
  const phase = parsePhase(flags.phase);
  const newest = (await requireModel(file, terminal.env)).model;
  const model = selectModel(newest, flags, file);
  const used = usedDatabase(databaseLocation(flags, terminal.env), model.name);
  const exists = !isMissingFile(used);
  const { display, plan, open } = selectKind(used.database);
  const database = display(used.database);
  const files = { database, modelFile: file, ...(flags.to === undefined ? {} : { to: flags.to }) };
  try {
    const steps = await plan(used, { model, phase });
    const consent = flags.allowDataLoss === true ? 'losses' : 'none';
    if (flags.apply === true) await (await open(used, { model, consent, phase })).close();
    const command = migrateCommand(files, model.name);
    const migration = { model: file, database, exists, phase, steps, applied: flags.apply === true };
    terminal.stdout.write(
      flags.json === true
        ? `${JSON.stringify(migrationJson(migration), null, 2)}\n`
        : migrationText(migration, command, terminal),
    );
    return 0;
  } catch (error) {
    throw databaseError(error, files, model.name);
  }
}

/** Selects the model to migrate to. @throws {CommandError} exit 2 for a version that the newest model does not list */
function selectModel(newest: Model, { to, phase }: MigrateFlags, file: string): Model {
  if (to === undefined || to === versionText(newest.version)) return newest;
  if (phase !== undefined)
    throw usageError('--to and --phase: use one of them; stop all instances before going back to an older version.');
  const listed = newest.versions.filter(({ retired, changes }) => !retired || changes.length > 0);
  const version = listed.find((each) => versionText(each.version) === to);
  if (version !== undefined) return olderModel(newest, version);
  const known = listed.map((each) => versionText(each.version));
  const cure =
    known.length === 0
      ? `${file} lists no versions; declare ${to} with its changes.`
      : `use ${known.join(' or ')}, or declare it in versions of ${file} with its changes.`;
  throw usageError(`--to: '${to}' is not a version that ${file} has the changes of; ${cure}`);
}

/** @throws {CommandError} exit 2 for another value */
function parsePhase(text: string | undefined): MigrationPhase | null {
  if (text === undefined || text === 'expand' || text === 'contract') return text ?? null;
  throw usageError(`--phase: '${text}' is not a valid phase; use ${PHASES.join(' or ')}.`);
}

export const migrateSpec: CommandSpec = {
  name: 'migrate',
  group: 'Data:',
  summary: 'show and apply the migration of a database to its model',
  description:
    'Shows the steps that migrate the database to a model: their SQL, their cost, the locks that they take, the data that they lose, and the rows that break a rule. Changes nothing without --apply.',
  arguments: [MODEL_ARGUMENT],
  options: [
    ...DATABASE_OPTIONS,
    { name: 'apply', value: null, description: 'apply the migration' },
    {
      name: 'allow-data-loss',
      value: null,
      description: 'accept that data is lost, and that rows break a rule until they are written again',
    },
    {
      name: 'phase',
      value: { name: 'phase', completes: PHASES },
      description:
        'expand: afterwards, instances of the old and of the new model can run; contract: only instances of the new one can',
    },
    {
      name: 'to',
      value: { name: 'version', completes: 'none' },
      description: 'go back to an older version of the model that is in its versions, such as 1.4.0',
    },
    jsonOption('the plan'),
  ],
  notes: `When a server starts, it applies a migration that loses no data, and refuses any
other one.

To deploy a new model while instances of the old one are running:
  1. Run migrate --phase expand --apply with the new model. It is refused if the
     models cannot run next to each other; the error names the fields.
  2. Start the new instances, then stop the old ones.
  3. Run migrate --phase contract --apply with the new model.
To roll back, run migrate --phase contract --apply with the old model instead.

To go back to an older version that is in versions, stop all instances and run
migrate --to VERSION --apply with the newest model. It is refused if a row has a
value that the older version cannot hold. Then start the model of that version.

Examples:
  restwright migrate shop.yaml
  restwright migrate shop.yaml --apply
  restwright migrate shop.yaml --apply --allow-data-loss
  restwright migrate shop.yaml --phase expand --apply
  restwright migrate shop.yaml --to 1.4.0 --apply
`,
  run: ([model = findModel()], flags: MigrateFlags, terminal) => migrate(model, flags, terminal),
};
