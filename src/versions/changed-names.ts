import { fieldOfPath } from '../conventions/text/field-path.ts';
import { storedPathTo, type Source } from './sources.ts';

/** A change to a stored field. */
export interface StoredChange {
  readonly field: string;
  /**
   * The paths at which an object differs (`plan/events/changed-members.ts`); null where they are not known: anything in
   * it may have changed then.
   */
  readonly paths: readonly string[] | null;
}

/** True if a stored change is one of a value of an older contract (VER-5). */
export function isChanged(source: Source, change: StoredChange): boolean {
  switch (source.kind) {
    case 'constant':
      return false;
    case 'field':
      return source.name === change.field;
    case 'values':
      return isChanged(source.of, change);
    case 'member': {
      const path = storedPathTo(source);
      return path === null ? isChanged(source.of, change) : isChangedAt(path, change);
    }
    case 'object': {
      const members = [...source.members.values()];
      if (members.some((member) => member !== null && isChanged(member, change))) return true;
      return source.of !== null && isBaseChanged(source.of, source.members, change);
    }
    case 'converted':
      return [...source.conversion.inputs.values()].some((input) => isChanged(input, change));
  }
}

/** An object, without the members that come from elsewhere or are there no more. */
function isBaseChanged(of: Source, others: ReadonlyMap<string, unknown>, change: StoredChange): boolean {
  const path = storedPathTo(of);
  if (path === null || change.paths === null) return isChanged(of, change);
  const isOwn = (changed: string): boolean => !others.has(fieldOfPath(changed.slice(path.length + 1)));
  return isChangedAt(path, { ...change, paths: change.paths.filter((each) => !isBelow(each, path) || isOwn(each)) });
}

function isChangedAt(path: string, { field, paths }: StoredChange): boolean {
  if (paths === null) return path === field || isBelow(path, field);
  return paths.some((each) => each === path || isBelow(each, path));
}

function isBelow(path: string, above: string): boolean {
  return path.startsWith(`${above}.`);
}
