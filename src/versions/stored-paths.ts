import { fieldOfPath } from '../conventions/text/field-path.ts';
import type { Shape } from '../model/model.ts';
import { type Source, storedPathTo } from './sources.ts';

/**
 * Lists the stored paths of values that changed in a field of an older contract: the opposite of `isChanged`
 * (`changed-names.ts`).
 *
 * @param shape of the field in the older contract; null if it is not known
 * @param members the paths inside the field at which it differs, '' for the whole; null if they are not known
 */
export function listStoredPaths(
  source: Source,
  shape: Shape | null,
  members: readonly string[] | null,
): readonly string[] {
  const paths = members ?? ['', ...memberPaths(shape)];
  switch (source.kind) {
    case 'constant':
      return [];
    case 'values':
      return listStoredPaths(source.of, shape, members);
    case 'converted':
      return [...source.conversion.inputs.values()].flatMap((input) => listStoredPaths(input, null, null));
    case 'field':
    case 'member': {
      const base = storedPathTo(source);
      if (base !== null) return paths.map((each) => joinPath(base, each));
      return source.kind === 'member' ? listStoredPaths(source.of, null, null) : [];
    }
    case 'object': {
      const own = paths.filter((each) => !source.members.has(fieldOfPath(each)));
      const base = source.of === null ? [] : listStoredPaths(source.of, null, own);
      return [
        ...(own.length === 0 ? [] : base),
        ...[...source.members].flatMap(([name, member]) => {
          const inner = paths.filter((each) => fieldOfPath(each) === name).map((each) => each.slice(name.length + 1));
          return member === null || inner.length === 0 ? [] : listStoredPaths(member, null, inner);
        }),
      ];
    }
  }
}

/** The paths of all members of a declared object. */
function memberPaths(shape: Shape | null): readonly string[] {
  if (shape?.type.kind !== 'object') return [];
  return shape.type.members.flatMap((member) => [
    member.name,
    ...memberPaths(member).map((inner) => joinPath(member.name, inner)),
  ]);
}

function joinPath(base: string, inner: string): string {
  return inner === '' ? base : `${base}.${inner}`;
}
