import { versionText } from '../../conventions/versioning.ts';
import type { Difference } from '../../model/diff/difference.ts';
import type { Impact } from '../../model/diff/difference-kinds.ts';
import { neededPart, type VersionPart } from '../../model/diff/needed-version.ts';
import { styled } from '../terminal/terminal.ts';
import { type ComparedFile, type ComparedModels, versionOfFile } from './model-pair.ts';

/** From the most to the least. */
const PARTS: readonly VersionPart[] = ['major', 'minor', 'patch', 'none'];

/** The differences as lines, grouped by resource, with the verdict on the version last. */
export function diffLines(compared: ComparedModels, colour: boolean): readonly string[] {
  const { differences, notes, clients, verdict } = compared;
  const groups = Map.groupBy(differences, ({ resource }) => resource ?? 'the API');
  return [
    ...[...groups].flatMap(([group, members]) => [
      styled('bold', group, colour),
      ...sorted(members, compared).map((each) => lineOf(each, neededPart(each, clients), colour)),
      '',
    ]),
    ...(differences.length === 0 ? ['no differences that clients can see', ''] : []),
    ...notes.flatMap((note) => [`${styled('yellow', 'note', colour)} ${note}`]),
    ...(notes.length === 0 ? [] : ['']),
    styled(verdict.isEnough ? 'green' : 'red', verdictText(compared), colour),
  ];
}

/** `version 1.4.0 -> 1.5.0 is enough`, or which one is needed. */
export function verdictText({ was, is, verdict }: ComparedModels): string {
  const versions = `version ${versionOf(was)} -> ${versionOf(is)}`;
  return verdict.isEnough ? `${versions} is enough` : `${versions} is not enough: needs ${versionText(verdict.lowest)}`;
}

/** The differences in one line: where, what, and whom it breaks. */
export function describeDifference(difference: Difference): string {
  const { path } = difference;
  return `${path === '' ? '' : `${path}: `}${describeEffect(difference)}`;
}

/** Describes what differs, and whom it breaks. */
export function describeEffect({ what, requests, responses }: Difference): string {
  const effects = [effectOf(requests, 'requests'), effectOf(responses, 'responses')].filter((each) => each !== null);
  return effects.length === 0 ? what : `${what} (${effects.join(', ')})`;
}

/** The result as JSON. Its shape is documented in docs/guides/versions.md. */
export function diffJson({ was, is, clients, differences, notes, verdict }: ComparedModels): object {
  return {
    old: { [was.kind]: was.file, version: versionOf(was) },
    new: { [is.kind]: is.file, version: versionOf(is) },
    ok: verdict.isEnough,
    needs: verdict.needs,
    needed_version: versionText(verdict.lowest),
    differences: differences.map((each) => ({ ...each, needs: neededPart(each, clients) })),
    notes,
  };
}

/** The differences by what they need, the most first; those that need the same stay in their order. */
function sorted(differences: readonly Difference[], { clients }: ComparedModels): readonly Difference[] {
  const rank = (each: Difference): number => PARTS.indexOf(neededPart(each, clients));
  return differences.toSorted((a, b) => rank(a) - rank(b));
}

/** The version of a model or of a description as text. */
export function versionOf(compared: ComparedFile): string {
  return versionText(versionOfFile(compared));
}

function lineOf(difference: Difference, part: VersionPart, colour: boolean): string {
  const style = part === 'major' ? 'red' : part === 'minor' ? 'green' : 'gray';
  return `  ${styled(style, part, colour)}  ${describeDifference(difference)}`;
}

function effectOf(impact: Impact, what: string): string | null {
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
