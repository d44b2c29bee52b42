import { nearest } from '../conventions/nearest.ts';
import type { Report } from './fault.ts';
import type { Path } from './path.ts';

/** What to write in place of a name that is none of those known: the one that was meant most likely. @param otherwise where none is near */
export function nameFix(name: string, known: Iterable<string>, otherwise: string = choiceOf([...known])): string {
  const meant = nearest(name, known);
  return meant === null ? otherwise : `write ${meant}`;
}

/** Announces a member that may not stand where it stands. @param fix what to do about it */
export function reportUnknown(report: Report, path: Path, fix: string): void {
  report(path, `${String(path.at(-1))} is not known here`, fix);
}

/** Announces the name of a resource that the model does not have. */
export function reportNoResource(report: Report, path: Path, name: string, resources: Iterable<string>): void {
  report(path, `there is no resource ${name}`, nameFix(name, resources, 'name a resource of this model'));
}

function choiceOf(known: readonly string[]): string {
  return known.length === 0 ? 'remove it' : `there are ${known.join(', ')}`;
}
