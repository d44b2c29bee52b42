import type { Json } from '../conventions/json/json.ts';
import type { ContractVersion, Field, Member, Model, OlderVersion, Resource, VersionChange } from '../model/model.ts';
import { byCollection } from '../model/compile/resources/compile-resources.ts';
import { findFormerNames } from './former-names.ts';
import { compileRenaming, type RenamedPath, splitPath } from './renamed-paths.ts';
import type { StoredRowChange } from './row-changes.ts';

/** A resource of the model before. */
export interface FormerResource {
  /** The name of its table, and its singular. */
  readonly table: string;
  readonly singular: string;
  readonly fields: readonly Member[];
}

/** The model before as a contract whose rows are converted: it has other names in objects (`x-was`). */
export interface FormerContract {
  /** Its changes are those of `x-was`. The model does not list it. */
  readonly version: OlderVersion;
  readonly changes: readonly StoredRowChange[];
}

/** A contract that stored rows may be of, and the reasons for which their former names cannot be followed. */
export interface FormerSearch {
  /** Null where no member in an object has another name. */
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
 * Finds the contract whose rows have members of objects under their former names (`x-was`). It has the former names of
 * fields, too.
 *
 * @param version the version of the rows
 * @param find the resource of the model before; null for a new one
 */
export function findFormerContract(
  model: Model,
  version: ContractVersion,
  find: (resource: Resource) => FormerResource | null,
): FormerSearch {
  const found = [...model.resources.values()].flatMap((resource): readonly ResourceBefore[] => {
    const before = find(resource);
    return before === null ? [] : [{ resource, before, ...findFormerNames(resource, before.fields) }];
  });
  const problems = found.flatMap(({ resource, problems: own }) =>
    own.map((problem): FormerProblem => ({ resource: resource.name, problem })),
  );
  const dropped = new Map(found.map(({ resource, dropped: own }) => [resource.name, own]));
  if (found.every(({ renamed }) => renamed.length === 0)) return { contract: null, problems, dropped };
  const former = new Map(found.map((each) => [each.resource.name, renameFields(each)]));
  const resources = new Map(
    [...model.resources].flatMap(([name]) => {
      const own = former.get(name)?.older;
      return own === undefined ? [] : [[name, own] as const];
    }),
  );
  const contract: OlderVersion = {
    version,
    deprecated: null,
    sunset: null,
    deprecationPage: null,
    retired: false,
    changes: [...former.values()].flatMap(({ changes }) => changes),
    model: { ...model, version, resources, collections: byCollection(resources), versions: [] },
  };
  return { contract: { version: contract, changes: found.flatMap(describeRenamed) }, problems, dropped };
}

interface ResourceBefore {
  readonly resource: Resource;
  readonly before: FormerResource;
  readonly renamed: readonly RenamedPath[];
  readonly dropped: readonly string[];
  readonly problems: readonly string[];
}

/** The resource as it was, and the changes since. Fields that the model before does not have are there, too. */
function renameFields({ resource, before, renamed }: ResourceBefore): {
  readonly older: Resource;
  readonly changes: readonly VersionChange[];
} {
  const inside = Map.groupBy(renamed, ({ to }) => splitPath(to)[0]);
  const known = new Map(before.fields.map((field) => [field.name, field]));
  const pairs = resource.fields.map((field) => {
    const was = known.get(field.name) ?? known.get(field.was ?? '');
    const names = inside.get(field.name) ?? [];
    return {
      field,
      older: was === undefined ? field : names.length === 0 ? { ...field, name: was.name } : asField(field, was),
      names,
    };
  });
  const fields = pairs.map(({ older }) => older);
  return {
    older: {
      ...resource,
      collection: before.table.replaceAll('_', '-'),
      singular: before.singular,
      was: null,
      fields,
      field: new Map(fields.map((field) => [field.name, field])),
    },
    changes: pairs.flatMap(({ field, older, names }): readonly VersionChange[] => {
      const [from, to] = [older.name, field.name];
      if (names.length > 0) return [convertField(resource.name, { from, to }, names)];
      return from === to ? [] : [{ kind: 'rename', resource: resource.name, from, to }];
    }),
  };
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
