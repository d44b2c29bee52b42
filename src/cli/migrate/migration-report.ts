import type { MigrationPhase } from '../../stores/sql/schema/current-models.ts';
import { describeBrokenRule, type SchemaStep, type StepCost } from '../../stores/sql/schema/schema-errors.ts';
import { countNoun } from '../terminal/progress.ts';
import { styled, supportsColour, type Terminal } from '../terminal/terminal.ts';

/** The requirement of a migration before it can be applied: nothing, consent to losses, or other rows. */
type Requirement = 'nothing' | 'consent' | 'changed-rows';

/** A planned migration, or one that was made. */
export interface Migration {
  /** The files, as they are named in the output. */
  readonly model: string;
  readonly database: string;
  readonly exists: boolean;
  /** The phase of a deployment of two models; null outside of one. */
  readonly phase: MigrationPhase | null;
  readonly steps: readonly SchemaStep[];
  readonly applied: boolean;
}

function listRequirements(steps: readonly SchemaStep[]): Requirement {
  const broken = steps.flatMap((step) => step.broken);
  if (broken.some(({ blocking }) => blocking)) return 'changed-rows';
  return broken.length > 0 || steps.some(({ losses }) => losses.length > 0) ? 'consent' : 'nothing';
}

/** Members of data are in snake case, as those of the API. */
export function migrationJson({ steps, applied, ...migration }: Migration): object {
  return {
    ...migration,
    steps: steps.map(({ broken, ...step }) => ({ ...step, broken_rules: broken })),
    needs: listRequirements(steps).replace('-', '_'),
    applied,
  };
}

/** @param command the command line without `--apply` */
export function migrationText(migration: Migration, command: string, { env, stdout }: Terminal): string {
  const { model, database, exists, phase, steps, applied } = migration;
  if (steps.length === 0 && phase === null) return `${database} matches ${model}\n`;
  if (steps.length === 0) return `No table of ${database} changes for ${model}.\n${conclusion(migration, command)}\n`;
  const colour = supportsColour(stdout, env);
  const state = exists ? '' : ' (does not exist yet)';
  const heading = `${applied ? 'Migrated' : 'Migration of'} ${database}${state}${applied ? '' : ` to ${model}`}:`;
  const lines = steps.flatMap((step, index) => [
    `${index + 1}. ${styled('bold', step.purpose, colour)}`,
    ...stepLines(step, colour),
  ]);
  return [heading, '', ...lines, '', ...(exists ? lockTable(steps) : []), conclusion(migration, command), ''].join(
    '\n',
  );
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
  return [`${kind} ${countNoun(rows, 'row')}`];
}

/** The lock of each step, who waits for it and for how long, and what the step does with the rows of its table. */
function lockTable(steps: readonly SchemaStep[]): readonly string[] {
  const rows = steps.flatMap(({ lock, cost }, index): string[][] => {
    if (lock === null) return [];
    const { table, mode, blocks, momentary } = lock;
    const waiting = blocks === 'nothing' ? blocks : `${blocks}, ${momentary ? 'for a moment' : 'until it ends'}`;
    return [
      [
        String(index + 1),
        mode,
        table ?? 'the database',
        waiting,
        describeCost(cost)[0] ?? 'neither reads nor rewrites rows',
      ],
    ];
  });
  const table = [['step', 'lock', 'on', 'what waits for it', 'the step'], ...rows];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  const lines = table.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return [...lines, ''];
}

function conclusion({ steps, phase, applied }: Migration, command: string): string {
  if (applied) return doneText(phase, command);
  const unchanged = 'Nothing was changed.';
  const apply = `${command}${phase === null ? '' : ` --phase ${phase}`} --apply`;
  switch (listRequirements(steps)) {
    case 'nothing':
      return phase === null
        ? `${unchanged} The next start of the server applies the migration. To apply it now, run ${apply}`
        : `${unchanged} ${phase === 'expand' ? 'Apply it' : 'Stop all instances of the other model, then apply it'} with ${apply}`;
    case 'consent':
      return `${unchanged} Back up the database, then apply it with ${apply} --allow-data-loss`;
    case 'changed-rows':
      return `${unchanged} The migration can be applied once you have changed the rows that break a rule.`;
  }
}

function doneText(phase: MigrationPhase | null, command: string): string {
  if (phase !== 'expand') return 'The database matches the model.';
  return (
    'Instances of this model and of the previous one can serve the database. ' +
    `When no instance of the previous model is running, finish the deployment with ${command} --phase contract --apply`
  );
}
