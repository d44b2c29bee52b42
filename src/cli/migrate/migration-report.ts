import type { MigrationPhase } from '../../stores/sql/schema/current-models.ts';
import {
  describeBrokenRule,
  type SchemaStep,
  type StepCost,
  type StepLock,
} from '../../stores/sql/schema/schema-errors.ts';
import { escapeMarkdown } from '../terminal/markdown.ts';
import { alignColumns } from '../terminal/align-columns.ts';
import { countNoun, formatDuration } from '../terminal/progress.ts';
import { styled, supportsColour, type Terminal } from '../terminal/terminal.ts';
import type { ExportedProblems } from './problem-file.ts';
import { describeRowChange, rowChangeJson } from './row-changes.ts';

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
  /** The version to which the database goes back; null for the newest. */
  readonly to: string | null;
  readonly steps: readonly SchemaStep[];
  readonly applied: boolean;
  /** The file with the rows that have problems; null where none was requested. */
  readonly exported: ExportedProblems | null;
}

function listRequirements(steps: readonly SchemaStep[]): Requirement {
  const broken = steps.flatMap((step) => step.broken);
  if (broken.some(({ blocking }) => blocking)) return 'changed-rows';
  return broken.length > 0 || steps.some(({ losses }) => losses.length > 0) ? 'consent' : 'nothing';
}

/** The plan as JSON: members of data are in snake case, as those of the API. docs/guides/versions.md has its shape. */
export function migrationJson({ steps, applied, exported, to: _to, ...migration }: Migration): object {
  const total = estimateDuration(steps);
  return {
    ...migration,
    steps: steps.map(({ broken, changes = [], duration, ...step }) => ({
      ...step,
      broken_rules: broken,
      changes: changes.map(rowChangeJson),
      loses_data: step.losses.length > 0,
      seconds: duration === undefined ? null : toSeconds(duration),
    })),
    seconds: total === null ? null : toSeconds(total),
    needs: listRequirements(steps).replace('-', '_'),
    exported,
    applied,
  };
}

function toSeconds(milliseconds: number): number {
  return Math.round(milliseconds / 100) / 10;
}

/** The milliseconds that all measured steps take; null where none was measured. */
function estimateDuration(steps: readonly SchemaStep[]): number | null {
  const measured = steps.flatMap(({ duration }) => (duration === undefined ? [] : [duration]));
  return measured.length === 0 ? null : measured.reduce((sum, each) => sum + each, 0);
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

function stepLines(step: SchemaStep, colour: boolean): readonly string[] {
  const { statements, losses, broken, changes = [] } = step;
  return [
    ...changes.map((change) => `- ${describeRowChange(change)}`),
    ...describeWork(step),
    ...losses.map((loss) => `${styled('red', 'loses data:', colour)} ${loss}`),
    ...broken.map((rule) => `${styled('red', 'breaks a rule:', colour)} ${describeBrokenRule(rule)}`),
    ...statements.map((statement) => `  ${statement.replaceAll('\n', '\n     ')};`),
  ].map((line) => `   ${line}`);
}

/** `rewrites 100,000 rows, about 8 s`. */
function describeWork({ cost, duration }: SchemaStep): readonly string[] {
  const time = duration === undefined || cost.rows === 0 ? '' : `, about ${formatDuration(duration / 1_000)}`;
  return describeCost(cost).map((text) => `${text}${time}`);
}

function describeCost({ kind, rows }: StepCost): readonly string[] {
  if (kind === 'constant' || rows === 0) return [];
  return [`${kind} ${countNoun(rows, 'row')}`];
}

function describeWaiting({ blocks, momentary }: StepLock): string {
  return blocks === 'nothing' ? blocks : `${blocks}, ${momentary ? 'for a moment' : 'until it ends'}`;
}

/** The lock of each step, who waits for it and for how long, and what the step does with the rows of its table. */
function lockTable(steps: readonly SchemaStep[]): readonly string[] {
  const rows = steps.flatMap(({ lock, cost }, index): string[][] => {
    if (lock === null) return [];
    const work = describeCost(cost)[0] ?? 'neither reads nor rewrites rows';
    return [[String(index + 1), lock.mode, lock.table ?? 'the database', describeWaiting(lock), work]];
  });
  const table = [['step', 'lock', 'on', 'what waits for it', 'the step'], ...rows];
  return [...alignColumns(table), ''];
}

function conclusion({ steps, phase, to, applied, exported }: Migration, command: string): string {
  if (applied) return doneText(phase, command);
  const unchanged = `${exported === null ? '' : `${describeExport(exported)} `}Nothing was changed.`;
  const apply = `${command}${phase === null ? '' : ` --phase ${phase}`} --apply`;
  switch (listRequirements(steps)) {
    case 'nothing':
      if (to !== null) return `${unchanged} Stop all instances, then apply it with ${apply}`;
      return phase === null
        ? `${unchanged} The next start of the server applies the migration. To apply it now, run ${apply}`
        : `${unchanged} ${phase === 'expand' ? 'Apply it' : 'Stop all instances of the other model, then apply it'} with ${apply}`;
    case 'consent':
      return `${unchanged} Back up the database, then apply it with ${apply} --allow-data-loss`;
    case 'changed-rows':
      return `${unchanged} The migration can be applied once you have changed the rows that break a rule.`;
  }
}

function describeExport({ file, rows }: ExportedProblems): string {
  return `${file} has ${countNoun(rows, 'row')} that cannot be converted or would lose a value.`;
}

function doneText(phase: MigrationPhase | null, command: string): string {
  if (phase !== 'expand') return 'The database matches the model.';
  return (
    'Instances of this model and of the previous one can serve the database. ' +
    `When no instance of the previous model is running, finish the deployment with ${command} --phase contract --apply`
  );
}

const REQUIREMENTS: Readonly<Record<Requirement, string>> = {
  nothing: 'It loses nothing.',
  consent: '**It needs consent** (`--allow-data-loss`): see the steps.',
  'changed-rows': '**Rows have to be changed first**: see the steps.',
};

/** The plan in Markdown, for a review. The SQL of each step is folded. */
export function migrationMarkdown(migration: Migration): string {
  const { model, database, steps, applied } = migration;
  const title = `## ${applied ? 'Migrated' : 'Migration of'} ${escapeMarkdown(database)} to ${escapeMarkdown(model)}`;
  if (steps.length === 0) return `${title}\n\nThe database matches the model.\n`;
  const total = estimateDuration(steps);
  const time = total === null ? '' : ` Converting rows takes about ${formatDuration(total / 1_000)}.`;
  const lines = steps.flatMap((step, index) => ['', ...markdownStep(step, index + 1)]);
  return [title, '', `${REQUIREMENTS[listRequirements(steps)]}${time}`, ...lines, ''].join('\n');
}

function markdownStep(step: SchemaStep, number: number): readonly string[] {
  const { purpose, statements, losses, broken, lock, changes = [] } = step;
  const items = [
    ...changes.map((change) => escapeMarkdown(describeRowChange(change))),
    ...describeWork(step),
    ...(lock === null
      ? []
      : [`lock: ${lock.mode} on ${escapeMarkdown(lock.table ?? 'the database')}, blocks ${describeWaiting(lock)}`]),
    ...losses.map((loss) => `**loses data:** ${escapeMarkdown(loss)}`),
    ...broken.map((rule) => `**breaks a rule:** ${escapeMarkdown(describeBrokenRule(rule))}`),
  ];
  const sql = statements.map((statement) => `${statement};`).join('\n');
  return [
    `### ${number}. ${escapeMarkdown(purpose)}`,
    '',
    ...items.map((item) => `- ${item}`),
    ...(sql === '' ? [] : ['', '<details><summary>SQL</summary>', '', '```sql', sql, '```', '', '</details>']),
  ];
}
