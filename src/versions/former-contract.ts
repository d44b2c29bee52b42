import type { Json } from '../conventions/json/json.ts';
import type { ContractVersion, Field, Member, Model, OlderVersion, Resource, VersionChange } from '../model/model.ts';
import { byCollection } from '../model/compile/resources/compile-resources.ts';
import { type FindFormer, findResourcesBefore, type ResourceBefore } from './former-fields.ts';
import { compileRenaming, type RenamedPath, splitPath } from './renamed-paths.ts';
import type { StoredRowChange } from './row-changes.ts';

/** The model before as a contract: it has other names of collections, fields or members of objects (`was`, `x-was`). */
export interface FormerContract {
  /** Its changes are those of `x-was`. The model does not list it. */
  readonly version: OlderVersion;
  /** The changes for which rows are rewritten: those of members. Tables and columns are renamed by their names. */
  readonly changes: readonly StoredRowChange[];
  /** The resources with the names that their fields and members had. */
  readonly resources: readonly ResourceBefore[];
}

/** A contract that stored rows may be of, and the reasons for which their former names cannot be followed. */
export interface FormerSearch {
  /** Null where nothing has another name. */
  readonly contract: FormerContract | null;
  readonly problems: readonly FormerProblem[];
  /** Members of objects that the model does not have any more, by the name of the resource. */
  readonly dropped: ReadonlyMap<string, readonly string[]>;
}

/** A reason for which a former name cannot be followed, with the cure. */
export interface FormerProblem {
  readonly resource: string;
  readonly problem: string;
}

/**
 * Finds the contract whose rows have collections, fields or members of objects under their former names. What is
 * recorded about rows follows it also where the rows themselves need no conversion.
 *
 * @param version the version of the rows
 */
export function findFormerContract(model: Model, version: ContractVersion, find: FindFormer): FormerSearch {
  const found = findResourcesBefore(model, find);
  const problems = found.flatMap(({ resource, problems: own }) =>
    own.map((problem): FormerProblem => ({ resource: resource.name, problem })),
  );
  const dropped = new Map(found.map(({ resource, dropped: own }) => [resource.name, own]));
  if (found.every(hasSameNames)) return { contract: null, problems, dropped };
  const former = found.map(renameFields);
  const resources = new Map(former.map(({ older }) => [older.name, older]));
  const contract: OlderVersion = {
    version,
    deprecated: null,
    sunset: null,
    deprecationPage: null,
    retired: false,
    changes: former.flatMap(({ changes }) => changes),
    model: { ...model, version, resources, collections: byCollection(resources), versions: [] },
  };
  const changes = found.flatMap(describeRenamed);
  return { contract: { version: contract, changes, resources: found }, problems, dropped };
}

function hasSameNames({ resource, before, fields, renamed }: ResourceBefore): boolean {
  const isSame = before.table === resource.name && before.singular === resource.singular;
  return isSame && fields.length + renamed.length === 0;
}

/** The resource as it was, and the changes since. Fields that the model before does not have are there, too. */
function renameFields({ resource, before, fields: renamedFields, renamed }: ResourceBefore): {
  readonly older: Resource;
  readonly changes: readonly VersionChange[];
} {
  const inside = Map.groupBy(renamed, ({ to }) => splitPath(to)[0]);
  const known = new Map(before.fields.map((field) => [field.name, field]));
  const names = new Map(renamedFields.map(({ from, to }) => [to, from]));
  const pairs = resource.fields.map((field) => {
    const name = names.get(field.name) ?? field.name;
    const [was, members] = [known.get(name), inside.get(field.name) ?? []];
    return {
      field,
      older: was !== undefined && members.length > 0 ? asField(field, was) : { ...field, name },
      members,
    };
  });
  const fields = pairs.map(({ older }) => older);
  return {
    older: {
      ...resource,
      ...renameParent(resource, names),
      collection: before.table.replaceAll('_', '-'),
      singular: before.singular,
      was: null,
      fields,
      field: new Map(fields.map((field) => [field.name, field])),
    },
    changes: pairs.flatMap(({ field, older, members }): readonly VersionChange[] => {
      const [from, to] = [older.name, field.name];
      if (members.length > 0) return [convertField(resource.name, { from, to }, members)];
      return from === to || to === resource.parent?.field
        ? []
        : [{ kind: 'rename', resource: resource.name, from, to }];
    }),
  };
}

/** The id of the parent follows the name of that: it is no change of the resource. */
function renameParent(
  { parent, parentKey: [_own, ...above] }: Resource,
  names: ReadonlyMap<string, string>,
): Partial<Pick<Resource, 'parent' | 'parentKey'>> {
  const field = names.get(parent?.field ?? '');
  return parent === null || field === undefined ? {} : { parent: { ...parent, field }, parentKey: [field, ...above] };
}

/** A field with the name and the type that it had. */
function asField({ default: _default, ...field }: Field, was: Member): Field {
  return { ...field, ...was };
}

function convertField(resource: string, { from, to }: RenamedPath, names: readonly RenamedPath[]): VersionChange {
  const below = names.map((each) => ({ from: stepsBelow(each.from), to: stepsBelow(each.to) }));
  const [up, down] = [compileRenaming(below), compileRenaming(below.map((each) => ({ from: each.to, to: each.from })))];
  return {
    kind: 'convert',
    resource,
    from: [from],
    to: [to],
    up: ({ [from]: value = null }) => ({ [to]: up(value) }),
    down: ({ [to]: value = null }): Readonly<Record<string, Json>> => ({ [from]: down(value) }),
  };
}

/** A path below its field. */
function stepsBelow(path: string): string {
  return splitPath(path).slice(1).join('.');
}

function describeRenamed({ resource: { name }, renamed }: ResourceBefore): readonly StoredRowChange[] {
  return renamed.map(({ from, to }) => ({
    resource: name,
    version: null,
    change: isInPlace({ from, to }, renamed) ? 'rename' : 'move',
    effect: 'converts',
    from: [from],
    to: [to],
    columns: splitPath(to).slice(0, 1),
    what: `${from} to ${to}`,
    consent: null,
    reversible: true,
  }));
}

/** True if a value is in the same object, whatever name that has by now. */
function isInPlace({ from, to }: RenamedPath, all: readonly RenamedPath[]): boolean {
  const [was, is] = [from, to].map((path) => splitPath(path).slice(0, -1));
  const joined = (steps: readonly string[] = [], start = 0): string => steps.slice(start).join('.');
  return (
    joined(was, 1) === joined(is, 1) ||
    all.some((each) => joined(splitPath(each.from)) === joined(was) && joined(splitPath(each.to)) === joined(is))
  );
}
