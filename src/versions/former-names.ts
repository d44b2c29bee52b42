import { closestMatch } from '../conventions/text/closest-match.ts';
import type { JsonObject } from '../conventions/json/json.ts';
import { appendName } from '../conventions/text/field-path.ts';
import type { Member, Resource, Shape } from '../model/model.ts';
import { readObject, readString } from '../model/values/access.ts';
import type { RenamedPath } from './renamed-paths.ts';

/** The members inside of fields that had other names in stored rows (`x-was`). */
export interface FormerNames {
  /** Paths begin with the name of the field: before, and now. */
  readonly renamed: readonly RenamedPath[];
  /** The paths before of members that no member of the model has taken. */
  readonly dropped: readonly string[];
  /** Reasons for which a former name cannot be followed, with the cure. */
  readonly problems: readonly string[];
}

/** The members of an object before, and its path then. */
interface FormerObject {
  readonly members: readonly Member[];
  readonly path: string;
}

/** The object whose members may move inside of it: a value of a field, an item of a list, a value of a map. */
interface FormerScope extends FormerObject {
  /** Its paths without marks, before and now: a path of `x-was` begins with one of them. */
  readonly was: string;
  readonly is: string;
}

/** An object of the model. */
interface PresentObject {
  readonly members: readonly Member[];
  readonly schema: JsonObject;
  readonly path: string;
  /** The path that it has by former names, without marks. */
  readonly former: string;
  /** Null for a row, whose fields move to no other place. */
  readonly scope: FormerScope | null;
}

/** A member, and the object that held it before, if it is known. */
interface PresentMember {
  readonly member: Member;
  readonly was: string | null;
  readonly path: string;
  readonly former: string;
  readonly old: FormerObject | null;
  readonly scope: FormerScope | null;
}

interface FoundMember {
  readonly member: Member;
  readonly path: string;
}

/** A value of the model: that of a member, an item of a list or a value of a map. */
interface PresentValue extends Pick<PresentMember, 'path' | 'former' | 'scope'> {
  readonly shape: Shape;
  readonly schema: JsonObject;
}

interface FormerValue {
  readonly member: Shape;
  readonly path: string;
}

/**
 * Finds the members that stored rows have under their former names.
 *
 * @param before the fields of these rows
 */
export function findFormerNames(
  { fields, schema }: Pick<Resource, 'fields' | 'schema'>,
  before: readonly Member[],
): FormerNames {
  return new FormerNameSearch().run({ members: fields, schema, path: '', former: '', scope: null }, before);
}

class FormerNameSearch {
  readonly #renamed: RenamedPath[] = [];
  /** The paths before that members of the model have taken. */
  readonly #taken = new Set<string>();
  readonly #objects: FormerObject[] = [];
  readonly #missing: PresentMember[] = [];
  readonly #doubled: PresentMember[] = [];

  run(row: PresentObject, before: readonly Member[]): FormerNames {
    this.#visit(row, { members: before, path: '' });
    return {
      renamed: this.#renamed.filter(({ from }) => from.includes('.') || from.includes('[]')),
      dropped: this.#objects.flatMap((object) =>
        this.#listUntaken(object).map((name) => appendName(object.path, name)),
      ),
      problems: [
        ...this.#doubled.flatMap((each) => this.#describeDoubled(each)),
        ...this.#missing.flatMap((each) => this.#describeMissing(each)),
      ],
    };
  }

  #visit({ members, schema, path, former: holder, scope }: PresentObject, old: FormerObject | null): void {
    if (old !== null && old.path !== '') this.#objects.push(old);
    for (const member of members) {
      const declared = readObject(readObject(schema['properties'])[member.name]);
      const was = readString(declared['x-was']);
      const former = was?.includes('.') === true ? followScope(was, scope) : appendName(holder, was ?? member.name);
      const present = { member, was, path: appendName(path, member.name), former, old, scope };
      const found = findMember(present);
      if (found === null) {
        if (was !== null && scope !== null) this.#missing.push(present);
      } else this.#note(present, found);
      this.#visitValue({ shape: member, schema: declared, path: present.path, former, scope }, found);
    }
  }

  #note(present: PresentMember, found: FoundMember): void {
    const { member, was, path, old, scope } = present;
    this.#taken.add(found.path);
    if (old === null || found.path !== appendName(old.path, member.name))
      this.#renamed.push({ from: found.path, to: path });
    else if (was !== null && scope !== null) this.#doubled.push(present);
  }

  /** Visits the objects inside of a value. */
  #visitValue({ shape: { type }, schema, path, former, scope }: PresentValue, old: FormerValue | null): void {
    const before = old?.member.type;
    if (type.kind === 'object') {
      const held = before?.kind === 'object' ? { members: before.members, path: old?.path ?? '' } : null;
      const inner = scope ?? (held === null ? null : { ...held, was: former, is: withoutMarks(path) });
      if (inner !== null) this.#visit({ members: type.members, schema, path, former, scope: inner }, held);
    } else if (type.kind === 'array' && before?.kind === 'array') {
      const items = { shape: type.item, schema: readObject(schema['items']), path: `${path}[]`, former, scope: null };
      this.#visitValue(items, { member: before.item, path: `${old?.path}[]` });
    } else if (type.kind === 'map' && before?.kind === 'map') {
      const values = { shape: type.value, schema: readObject(schema['additionalProperties']), former, scope: null };
      this.#visitValue({ ...values, path: `${path}.*` }, { member: before.value, path: `${old?.path}.*` });
    }
  }

  #listUntaken({ members, path }: FormerObject): readonly string[] {
    return members.flatMap(({ name }) => (this.#taken.has(appendName(path, name)) ? [] : [name]));
  }

  /** A member whose former name is still there, under a name that the model does not have any more. */
  #describeDoubled({ was, old, path, scope, member }: PresentMember): readonly string[] {
    const former = resolveFormer(was ?? '', old, scope);
    if (former === null || former.path === appendName(old?.path ?? '', member.name) || this.#taken.has(former.path))
      return [];
    return [
      `${path} cannot become of ${former.path} (x-was: ${was}): the database has both. Remove x-was, and keep or drop ${former.path}`,
    ];
  }

  /** A former name that no row has, while others are lost: it may be a mistake. */
  #describeMissing({ was, old, path, scope }: PresentMember): readonly string[] {
    const holder = old ?? scope;
    const lost = holder === null ? [] : this.#listUntaken(holder);
    if (lost.length === 0 || holder === null) return [];
    const last = (was ?? '').slice((was ?? '').lastIndexOf('.') + 1);
    const meant = closestMatch(last, lost);
    const cure = meant === null ? `write ${lost.join(' or ')}, or remove x-was` : `write ${meant}`;
    return [
      `${path} has x-was: ${was}, and ${holder.path} of the database has no ${was}, but ${lost.join(', ')}: ${cure}`,
    ];
  }
}

/** A name that the rows have already wins over a former one. */
function findMember({ member: { name }, was, old, scope }: PresentMember): FoundMember | null {
  const same = old?.members.find((each) => each.name === name);
  if (same !== undefined) return { member: same, path: appendName(old?.path ?? '', name) };
  return was === null ? null : resolveFormer(was, old, scope);
}

/** Finds the member that a former name means: one of the same object, or by a path one of its scope. */
function resolveFormer(was: string, old: FormerObject | null, scope: FormerScope | null): FoundMember | null {
  const isPath = was.includes('.');
  const start = isPath ? scope : old;
  if (start === null) return null;
  const [first = '', ...rest] = isPath && scope !== null ? pathInScope(was, scope).split('.') : [was];
  const find = (members: readonly Member[], name: string): Member | null =>
    members.find((each) => each.name === name) ?? null;
  const member = rest.reduce<Member | null>(
    (held, name) => (held?.type.kind === 'object' ? find(held.type.members, name) : null),
    find(start.members, first),
  );
  return member === null ? null : { member, path: [first, ...rest].reduce(appendName, start.path) };
}

/** The part of a path of `x-was` inside of its scope. The model was checked: it begins with one of both paths. */
function pathInScope(was: string, scope: FormerScope): string {
  const start = [scope.was, scope.is].find((each) => was.startsWith(`${each}.`)) ?? '';
  return start === '' ? was : was.slice(start.length + 1);
}

/** The whole path by former names that a path of `x-was` means. */
function followScope(was: string, scope: FormerScope | null): string {
  return scope === null ? was : appendName(scope.was, pathInScope(was, scope));
}

function withoutMarks(path: string): string {
  return path.replaceAll('[]', '').replaceAll('.*', '');
}
