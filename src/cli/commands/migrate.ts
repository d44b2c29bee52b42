import type { Model } from '../../model/model.ts';
import {
  type Consent,
  describeBrokenRule,
  type SchemaStep,
  type StepCost,
} from '../../stores/sql/schema/schema-errors.ts';
import { isPostgresUrl } from '../../stores/postgres/connection/database-url.ts';
import { openPostgres, planPostgres } from '../../stores/postgres/postgres-store.ts';
import { openSqlite, planSqlite } from '../../stores/sqlite/sqlite-store.ts';
import type { ExitCode } from '../command-error.ts';
import { type CommandSpec, DATABASE_OPTIONS, jsonOption, MODEL_ARGUMENT } from '../command-spec.ts';
import { findModel } from '../model-file/find-model.ts';
import { requireModel } from '../model-file/read-model.ts';
import { databaseError, migrateCommand } from '../open-database.ts';
import {
  type DatabaseFlags,
  databaseLocation,
  displayedPath,
  isMissingFile,
  type UsedDatabase,
  usedDatabase,
} from '../settings.ts';
import { formatCount } from '../terminal/progress.ts';
import { styled, supportsColour, type Terminal } from '../terminal/terminal.ts';

interface MigrateFlags extends DatabaseFlags {
  readonly apply?: boolean;
  readonly allowDataLoss?: boolean;
  readonly json?: boolean;
}

/** What a migration needs before it can be applied: nothing, consent to losses, or other rows. */
type Requirement = 'nothing' | 'consent' | 'changed-rows';

interface Migration {
  /** The files, as they are named in the output. */
  readonly model: string;
  readonly database: string;
  readonly exists: boolean;
  readonly steps: readonly SchemaStep[];
  readonly needs: Requirement;
  readonly applied: boolean;
}

/**
 * Prints the steps that migrate a database to a model, and applies them with `--apply`.
 *
 * @returns 0 when the plan is printed or applied
 * @throws {CommandError} exit 1 for an invalid model, an unusable database, and for a migration that is not applied because it would lose data
 *   or leave rows that break a rule (OPS-4)
 */
async function migrate(file: string, flags: MigrateFlags, terminal: Terminal): Promise<ExitCode> {
  const { model } = await requireModel(file, terminal.env);
  const used = usedDatabase(databaseLocation(flags, terminal.env), model.name);
  const exists = !isMissingFile(used);
  const database = isPostgresUrl(used.database) ? displayedPath(used.database) : used.database;
  try {
    const steps = await planSteps(used, model);
    const consent = flags.allowDataLoss === true ? 'losses' : 'none';
    if (flags.apply === true) await apply(used, model, consent);
    const command = migrateCommand({ database, modelFile: file }, model.name);
    const migration = { model: file, database, exists, steps, needs: needsOf(steps), applied: flags.apply === true };
    terminal.stdout.write(
      flags.json === true ? `${JSON.stringify(asJson(migration), null, 2)}\n` : asText(migration, command, terminal),
    );
    return 0;
  } catch (error) {
    throw databaseError(error, { database, modelFile: file }, model.name);
  }
}

async function planSteps(used: UsedDatabase, model: Model): Promise<readonly SchemaStep[]> {
  const { database, driver, databasePassword: password } = used;
  return isPostgresUrl(database)
    ? planPostgres({ url: database, password, model })
    : planSqlite(database, model, driver);
}

async function apply(used: UsedDatabase, model: Model, consent: Consent): Promise<void> {
  const { database, driver, databasePassword: password } = used;
  const store = isPostgresUrl(database)
    ? await openPostgres({ url: database, password, model, consent })
    : await openSqlite({ path: database, driver, model, consent });
  await store.close();
}

function needsOf(steps: readonly SchemaStep[]): Requirement {
  const broken = steps.flatMap((step) => step.broken);
  if (broken.some(({ blocking }) => blocking)) return 'changed-rows';
  return broken.length > 0 || steps.some(({ losses }) => losses.length > 0) ? 'consent' : 'nothing';
}

/** Members of data are in snake case, as those of the API. */
function asJson({ steps, ...migration }: Migration): object {
  return {
    ...migration,
    needs: migration.needs.replace('-', '_'),
    steps: steps.map(({ broken, ...step }) => ({ ...step, broken_rules: broken })),
  };
}

function asText(migration: Migration, command: string, { env, stdout }: Terminal): string {
  const { model, database, exists, steps, applied } = migration;
  if (steps.length === 0) return `${database} matches ${model}\n`;
  const colour = supportsColour(stdout, env);
  const state = exists ? '' : ', which does not exist yet';
  const heading = `${applied ? 'Migrated' : 'Migration of'} ${database}${state}${applied ? '' : ` to ${model}`}:`;
  const lines = steps.flatMap((step, index) => [
    `${index + 1}. ${styled('bold', step.purpose, colour)}`,
    ...stepLines(step, colour),
  ]);
  return [heading, '', ...lines, '', conclusion(migration, command), ''].join('\n');
}

function stepLines({ statements, cost, losses, broken }: SchemaStep, colour: boolean): readonly string[] {
  return [
    ...describeCost(cost),
    ...losses.map((loss) => `${styled('red', 'loses data:', colour)} ${loss}`),
    ...broken.map((rule) => `${styled('red', 'breaks a rule:', colour)} ${describeBrokenRule(rule)}`),
    ...statements.map((statement) => `  ${statement.replaceAll('\n', '\n     ')};`),
  ].map((line) => `   ${line}`);
}

function describeCost({ kind, rows }: StepCost): readonly string[] {
  if (kind === 'constant' || rows === 0) return [];
  return [`${kind} ${rows === 1 ? '1 row' : `${formatCount(rows)} rows`}`];
}

function conclusion({ needs, applied }: Migration, command: string): string {
  if (applied) return 'The database matches the model.';
  const unchanged = 'Nothing was changed.';
  switch (needs) {
    case 'nothing':
      return `${unchanged} The next start applies it, and so does ${command} --apply`;
    case 'consent':
      return `${unchanged} Back up the database, then apply it with ${command} --apply --allow-data-loss`;
    case 'changed-rows':
      return `${unchanged} It cannot be applied before the rows that break a rule are changed.`;
  }
}

export const migrateSpec: CommandSpec = {
  name: 'migrate',
  group: 'Data:',
  summary: 'show and apply the migration of a database to its model',
  description:
    'Shows the steps that migrate the database to a model: their SQL, what they cost, the data they lose and the rows that break a rule. Changes nothing without --apply.',
  arguments: [MODEL_ARGUMENT],
  options: [
    ...DATABASE_OPTIONS,
    { name: 'apply', value: null, description: 'apply the migration in one transaction' },
    {
      name: 'allow-data-loss',
      value: null,
      description: 'consent to lost data, and to rows that break a rule until they are written',
    },
    jsonOption('the plan'),
  ],
  notes: `A start of the server applies a migration that keeps all data, and refuses every other one.

Examples:
  restwright migrate shop.yaml
  restwright migrate shop.yaml --apply
  restwright migrate shop.yaml --apply --allow-data-loss
`,
  run: ([model = findModel()], flags: MigrateFlags, terminal) => migrate(model, flags, terminal),
};
