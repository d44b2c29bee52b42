import { versionText } from '../../conventions/versioning.ts';
import type { Model } from '../../model/model.ts';
import type { Observe } from '../../observe/observation.ts';
import { type DatabaseKind, selectKind } from '../../stores/databases/databases.ts';
import type { MigrationPhase } from '../../stores/sql/schema/current-models.ts';
import { LossySchemaChange, type SchemaStep, SchemaViolation } from '../../stores/sql/schema/schema-errors.ts';
import { olderModel } from '../../versions/return-conversion.ts';
import { CommandError, type ExitCode, usageError } from '../command-error.ts';
import { type CommandSpec, DATABASE_OPTIONS, jsonOption, markdownOption, MODEL_ARGUMENT } from '../command-spec.ts';
import { showConversions } from '../migrate/conversion-progress.ts';
import { type Migration, migrationJson, migrationMarkdown, migrationText } from '../migrate/migration-report.ts';
import { ProblemFile } from '../migrate/problem-file.ts';
import { findModel } from '../model-file/find-model.ts';
import { requireModel, requireOwnRows } from '../model-file/read-model.ts';
import { databaseError, migrateCommand } from '../open-database.ts';
import {
  type DatabaseFlags,
  databaseLocation,
  isMissingFile,
  type UsedDatabase,
  usedDatabase,
} from '../database-settings.ts';
import type { Terminal } from '../terminal/terminal.ts';

const PHASES: readonly MigrationPhase[] = ['expand', 'contract'];

interface MigrateFlags extends DatabaseFlags {
  readonly apply?: boolean;
  readonly dryRun?: boolean;
  readonly allowDataLoss?: boolean;
  readonly phase?: string;
  readonly to?: string;
  /** The file that gets the rows with problems. */
  readonly export?: string;
  readonly json?: boolean;
  readonly markdown?: boolean;
}

/**
 * Prints the steps that migrate a database to a model, and applies them with `--apply`. Rows are read once: an applied
 * migration checks them while it converts them, unless their problems are exported before.
 *
 * @returns 0 when the plan is printed or applied
 * @throws {CommandError} exit 1 for an invalid model, an unusable database, and a migration that is refused. A
 *   migration is refused for lost data, rows that break a rule (OPS-4), and a phase whose models cannot run next to
 *   each other (OPS-6)
 */
async function migrate(file: string, flags: MigrateFlags, terminal: Terminal): Promise<ExitCode> {
  requireCompatible(flags);
  const phase = parsePhase(flags.phase);
  const newest = (await requireModel(file, terminal.env)).model;
  const model = selectModel(newest, flags, file);
  const used = usedDatabase(databaseLocation(flags, terminal.env), model.name);
  const exists = !isMissingFile(used);
  const kind = selectKind(used.database);
  const database = kind.display(used.database);
  const progress = showConversions(terminal);
  const files = { database, modelFile: file, ...(flags.to === undefined ? {} : { to: flags.to }) };
  let exported: Migration['exported'] = null;
  const { to = null } = flags;
  const migration: Omit<Migration, 'steps' | 'exported'> = { model: file, database, exists, phase, to, applied: false };
  const show = (made: Migration): void => {
    terminal.stdout.write(formatMigration(made, migrateCommand(files, model.name), { flags, terminal }));
  };
  const target = { kind, used, model, phase, observe: progress.observe };
  try {
    const isPlanned = flags.apply !== true || flags.export !== undefined;
    const planned = isPlanned ? await planMigration(target, flags.export, file) : null;
    exported = planned?.exported ?? null;
    if (flags.apply !== true) show({ ...migration, exported, steps: planned?.steps ?? [] });
    else
      show({
        ...migration,
        exported,
        steps: await applyMigration(target, flags.allowDataLoss === true),
        applied: true,
      });
    return 0;
  } catch (error) {
    if (error instanceof CommandError) throw error;
    const isRefused = error instanceof LossySchemaChange || error instanceof SchemaViolation;
    if (isRefused && error.plan.length > 0) show({ ...migration, exported, steps: error.plan });
    throw databaseError(error, files, model.name);
  } finally {
    progress.end();
  }
}

/**
 * Selects the model to migrate to.
 *
 * @throws {CommandError} exit 2 for a version that the newest model does not list; exit 1 for tables that exist
 */
function selectModel(newest: Model, { to, phase }: MigrateFlags, file: string): Model {
  requireOwnRows(newest, 'migrate', '`serve` migrates what the server stores at its start.');
  if (to === undefined || to === versionText(newest.version)) return newest;
  if (phase !== undefined && phase !== 'contract')
    throw usageError(
      `--to and --phase ${phase}: use one of them; --phase contract leaves a database to the older of two models that are served.`,
    );
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

/** A database and the model that it is migrated to. */
interface MigrationTarget {
  readonly kind: DatabaseKind;
  readonly used: UsedDatabase;
  readonly model: Model;
  readonly phase: MigrationPhase | null;
  readonly observe: Observe;
}

/** Plans a migration, and exports the rows that have problems. @param exported the file for them */
async function planMigration(
  { kind, used, model, phase }: MigrationTarget,
  exported: string | undefined,
  modelFile: string,
): Promise<Pick<Migration, 'steps' | 'exported'>> {
  if (exported === undefined) return { steps: await kind.plan(used, { model, phase }), exported: null };
  const problems = new ProblemFile(exported, { database: used.database, model: modelFile });
  try {
    const steps = await kind.plan(used, { model, phase, report: (found) => problems.add(found) });
    return { steps, exported: problems.complete() };
  } catch (error) {
    problems.discard();
    throw error;
  }
}

/** @returns the steps that were made */
async function applyMigration(
  { kind, used, model, phase, observe }: MigrationTarget,
  isAllowed: boolean,
): Promise<readonly SchemaStep[]> {
  let made: readonly SchemaStep[] = [];
  const onMigrated = (steps: readonly SchemaStep[]): void => {
    made = steps;
  };
  const store = await kind.open(used, { model, phase, consent: isAllowed ? 'losses' : 'none', onMigrated, observe });
  await store.close();
  return made;
}

function formatMigration(
  migration: Migration,
  command: string,
  { flags, terminal }: { readonly flags: MigrateFlags; readonly terminal: Terminal },
): string {
  if (flags.json === true) return `${JSON.stringify(migrationJson(migration), null, 2)}\n`;
  return flags.markdown === true ? migrationMarkdown(migration) : migrationText(migration, command, terminal);
}

/** @throws {CommandError} exit 2 for options that exclude each other */
function requireCompatible({ json, markdown, apply, dryRun }: MigrateFlags): void {
  if (json === true && markdown === true)
    throw usageError('--json and --markdown cannot be combined; pass one of them.');
  if (apply === true && dryRun === true)
    throw usageError('--apply and --dry-run cannot be combined; pass one of them.');
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
    { name: 'dry-run', value: null, description: 'change nothing: the default' },
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
    {
      name: 'export',
      value: { name: 'file', completes: 'file' },
      description:
        'write all rows that cannot be converted, or would lose a value, to a new file as NDJSON, before anything is changed',
    },
    markdownOption('the plan'),
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
  restwright migrate shop.yaml --dry-run --markdown
  restwright migrate shop.yaml --apply
  restwright migrate shop.yaml --export lost.ndjson --apply --allow-data-loss
  restwright migrate shop.yaml --phase expand --apply
  restwright migrate shop.yaml --to 1.4.0 --apply
`,
  run: ([model = findModel()], flags: MigrateFlags, terminal) => migrate(model, flags, terminal),
};
