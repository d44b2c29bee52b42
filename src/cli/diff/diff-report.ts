import { versionText } from '../../conventions/versioning.ts';
import type { Difference } from '../../model/diff/difference.ts';
import type { Impact } from '../../model/diff/difference-kinds.ts';
import { neededPart, type VersionPart } from '../../model/diff/needed-version.ts';
import type { StoredRowChange } from '../../versions/row-changes.ts';
import { describeRowChange, rowChangeJson, rowChangeLines, rowChangeNotes } from '../migrate/row-changes.ts';
import { escapeMarkdown } from '../terminal/markdown.ts';
import { styled } from '../terminal/terminal.ts';
import { type ComparedFile, type ComparedModels, versionOfFile } from './model-pair.ts';
import type { ModelProblem } from '../../model/document/model-error.ts';

/** From the most to the least. */
const PARTS: readonly VersionPart[] = ['major', 'minor', 'patch', 'none'];

/** The differences as lines, grouped by resource, with the verdict on the version last. */
export function diffLines(compared: ComparedModels, colour: boolean): readonly string[] {
  const { differences, notes, clients, verdict, rows } = compared;
  const groups = Map.groupBy(differences, ({ resource }) => resource ?? 'the API');
  return [
    ...[...groups].flatMap(([group, members]) => [
      styled('bold', group, colour),
      ...sorted(members, compared).map((each) => writeDifference(each, neededPart(each, clients), colour)),
      '',
    ]),
    ...(differences.length === 0 ? ['no differences that clients can see', ''] : []),
    ...notes.flatMap((note) => [`${styled('yellow', 'note', colour)} ${note}`]),
    ...(notes.length === 0 ? [] : ['']),
    ...rowChangeLines(rows, colour),
    ...(rows.length === 0 ? [] : ['']),
    styled(verdict.isEnough ? 'green' : 'red', verdictText(compared), colour),
  ];
}

/** `version 1.4.0 -> 1.5.0 is enough`, or which one is needed. */
export function verdictText({ was, is, verdict }: ComparedModels): string {
  const versions = `version ${comparedVersionText(was)} -> ${comparedVersionText(is)}`;
  return verdict.isEnough ? `${versions} is enough` : `${versions} is not enough: needs ${versionText(verdict.lowest)}`;
}

/** Describes a difference in one line: its path, the change, and what it breaks. */
export function describeDifference(difference: Difference): string {
  const { path } = difference;
  return `${path === '' ? '' : `${path}: `}${describeEffect(difference)}`;
}

/** Describes the difference, and what it breaks. */
export function describeEffect({ what, requests, responses }: Difference): string {
  const effects = [describeImpact(requests, 'requests'), describeImpact(responses, 'responses')].filter(
    (each) => each !== null,
  );
  return effects.length === 0 ? what : `${what} (${effects.join(', ')})`;
}

/** The result as JSON. Its shape is documented in docs/guides/versions.md. */
export function diffJson({ was, is, clients, differences, notes, verdict, rows }: ComparedModels): object {
  return {
    old: { [was.kind]: was.file, version: comparedVersionText(was) },
    new: { [is.kind]: is.file, version: comparedVersionText(is) },
    ok: verdict.isEnough,
    needs: verdict.needs,
    needed_version: versionText(verdict.lowest),
    differences: differences.map((each) => ({ ...each, needs: neededPart(each, clients) })),
    notes,
    rows: rows.map(rowChangeJson),
  };
}

/** The differences by what they need, the most first; those that need the same stay in their order. */
function sorted(differences: readonly Difference[], { clients }: ComparedModels): readonly Difference[] {
  const rank = (each: Difference): number => PARTS.indexOf(neededPart(each, clients));
  return differences.toSorted((a, b) => rank(a) - rank(b));
}

/** The version of a model or of a description as text. */
export function comparedVersionText(compared: ComparedFile): string {
  return versionText(versionOfFile(compared));
}

function writeDifference(difference: Difference, part: VersionPart, colour: boolean): string {
  const style = part === 'major' ? 'red' : part === 'minor' ? 'green' : 'gray';
  return `  ${styled(style, part, colour)}  ${describeDifference(difference)}`;
}

function describeImpact(impact: Impact, what: string): string | null {
  switch (impact) {
    case 'breaking':
      return `breaks ${what}`;
    case 'possibly-breaking':
      return `may break ${what}`;
    case 'compatible':
    case 'none':
      return null;
  }
}

const SECTIONS = ['Breaking', 'May break strict clients', 'Added', 'Other'] as const;

type SectionName = (typeof SECTIONS)[number];

/** The differences as a section of a changelog in Markdown. */
export function diffMarkdown(compared: ComparedModels): string {
  const { was, is, differences, notes, verdict, rows } = compared;
  const sections = Map.groupBy(differences, chooseSection);
  const lines = [
    `## ${comparedVersionText(is)}`,
    '',
    `Changes since ${comparedVersionText(was)}.`,
    ...(verdict.isEnough ? [] : ['', `**They need version ${versionText(verdict.lowest)}.**`]),
    ...SECTIONS.flatMap((name) => writeSection(name, (sections.get(name) ?? []).map(writeItem))),
    ...writeSection('Stored rows', rows.map(writeRowChange)),
    ...writeSection('Not compared', notes.map(escapeMarkdown)),
    '',
  ];
  return lines.join('\n');
}

function writeSection(heading: string, items: readonly string[]): readonly string[] {
  return items.length === 0 ? [] : ['', `### ${heading}`, '', ...items.map((each) => `- ${each}`)];
}

/** Paths have no backticks. */
function writeItem(difference: Difference): string {
  const { path } = difference;
  return `${path === '' ? '' : `\`${path}\`: `}${escapeMarkdown(describeEffect(difference))}`;
}

function writeRowChange(change: StoredRowChange): string {
  const notes = rowChangeNotes(change);
  const text = `${describeRowChange(change)}${notes.length === 0 ? '' : ` (${notes.join('; ')})`}`;
  return `\`${change.resource}\`: ${escapeMarkdown(text)}`;
}

function chooseSection({ requests, responses }: Difference): SectionName {
  const impacts = [requests, responses];
  if (impacts.includes('breaking')) return 'Breaking';
  if (impacts.includes('possibly-breaking')) return 'May break strict clients';
  return impacts.includes('compatible') ? 'Added' : 'Other';
}

/** The errors and warnings of the version of a model, compared with the published one. */
interface VersionFindings {
  readonly problems: readonly ModelProblem[];
  readonly warnings: readonly string[];
}

/** The findings of a version that is high enough. */
export const NO_FINDINGS: VersionFindings = { problems: [], warnings: [] };

/** Differences that a message names, at most. */
const MAX_NAMED = 5;

/**
 * A breaking change without a new major version, an addition without a new minor one and a version below the published
 * one are errors (VER-6). A change of behaviour alone without a new patch is a warning: clients cannot depend on the
 * difference.
 */
export function versionFindings(compared: ComparedModels): VersionFindings {
  const { was, is, differences, clients, verdict } = compared;
  if (verdict.isEnough) return NO_FINDINGS;
  const lowest = versionText(verdict.lowest);
  const published = `the published version ${comparedVersionText(was)}`;
  if (verdict.isLower) {
    return problem(
      is.file,
      `version ${comparedVersionText(is)} is lower than ${published}`,
      `write ${lowest} or a higher version`,
    );
  }
  const reasons = differences.filter((each) => neededPart(each, clients) === verdict.needs).map(describeDifference);
  const named = reasons.slice(0, MAX_NAMED).join('; ');
  const more = reasons.length > MAX_NAMED ? `; and ${reasons.length - MAX_NAMED} more` : '';
  const cause = `version ${comparedVersionText(is)} is too low for the changes since ${published}: ${named}${more}`;
  if (verdict.needs === 'patch') return { problems: [], warnings: [`${cause}; write ${lowest}`] };
  return problem(
    is.file,
    cause,
    `write version: ${lowest}, or undo the changes; \`restwright diff\` lists all of them`,
  );
}

function problem(file: string, cause: string, fix: string): VersionFindings {
  return { problems: [{ file, line: 0, column: 0, path: 'version', cause, fix }], warnings: [] };
}
