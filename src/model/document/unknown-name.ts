import { closestMatch } from '../../conventions/closest-match.ts';
import type { ReportProblem } from './model-error.ts';
import type { Path } from '../values/path.ts';

/** What to write in place of a name that is none of those known: the one that was meant most likely. @param otherwise where none is near */
export function suggestName(name: string, known: Iterable<string>, otherwise: string = choiceOf([...known])): string {
  const meant = closestMatch(name, known);
  return meant === null ? otherwise : `write ${meant}`;
}

/** Announces a member that may not stand where it stands. @param fix what to do about it */
export function reportUnknownMember(report: ReportProblem, path: Path, fix: string): void {
  report(path, `${String(path.at(-1))} is not known here`, fix);
}

/** Announces the name of a resource that the model does not have. */
export function reportUnknownResource(
  report: ReportProblem,
  path: Path,
  name: string,
  resources: Iterable<string>,
): void {
  report(path, `there is no resource ${name}`, suggestName(name, resources, 'name a resource of this model'));
}

function choiceOf(known: readonly string[]): string {
  return known.length === 0 ? 'remove it' : `there are ${known.join(', ')}`;
}
