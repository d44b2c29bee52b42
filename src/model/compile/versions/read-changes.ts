import type { Json, JsonObject } from '../../../conventions/json/json.ts';
import type { Resource } from '../../model.ts';
import { readObject, readString } from '../../values/access.ts';
import type { Path } from '../../path.ts';
import { FieldCheck, mapOlderPaths, type ParentId } from './check-fields.ts';
import type { OlderPaths } from './field-paths.ts';
import { readFieldChanges } from './read-fields.ts';
import { checkLoss, readFill } from './read-fill.ts';
import { NamesReader, type OlderNames } from './read-names.ts';
import { readValues } from './read-values.ts';
import { type DeclaredChange, type FieldChange, plainChange, reportUnknown, type VersionStep } from './version-step.ts';

/** The changes between a version and its successor. */
export interface StepChanges {
  /** In declared order. */
  readonly changes: readonly DeclaredChange[];
  readonly names: ReadonlyMap<string, OlderNames>;
  /** The resources that the older version does not have: the declared ones, and those below them. */
  readonly absent: ReadonlySet<string>;
  /** The paths of the successor's fields in the older version, by resource. */
  readonly paths: ReadonlyMap<string, OlderPaths>;
}

/** One of the `changes` of a version. */
interface Entry {
  readonly resource: Resource;
  readonly declared: JsonObject;
  readonly at: Path;
}

/** Reads the changes of a version and reports every problem. */
export function readChanges(declared: readonly Json[], path: Path, step: VersionStep): StepChanges {
  const entries = declared.flatMap((held, index) => readEntry(readObject(held), [...path, index], step));
  const namesReader = new NamesReader(step);
  const changes: DeclaredChange[] = [];
  for (const { resource, declared: entry, at } of entries) {
    if (entry['absent'] === true) changes.push(plainChange({ kind: 'absent', resource: resource.name }, at));
    changes.push(...namesReader.read(resource.name, entry, at));
  }
  const absent = absentResources(changes, step);
  namesReader.check(absent);
  const { names } = namesReader;
  const paths = new Map<string, OlderPaths>();
  for (const resource of step.resources.values()) {
    const own = entries.filter((entry) => entry.resource === resource);
    if (absent.has(resource.name)) checkAbsent(own, step);
    const read = readResource(resource, own, findParentId(resource, names), step);
    paths.set(resource.name, read.paths);
    changes.push(...read.changes);
  }
  return { changes: inDeclaredOrder(changes, path.length), names, absent, paths };
}

/** All changes of an entry stand where it does. */
function inDeclaredOrder(changes: readonly DeclaredChange[], depth: number): readonly DeclaredChange[] {
  return changes.toSorted((a, b) => Number(a.at[depth]) - Number(b.at[depth]));
}

function readEntry(declared: JsonObject, at: Path, step: VersionStep): readonly Entry[] {
  const name = readString(declared['resource']) ?? '';
  const resource = step.resources.get(name);
  if (resource === undefined) {
    reportUnknown(step, [...at, 'resource'], `resource ${name}`, { name, known: step.resources.keys() });
    return [];
  }
  if (Object.keys(declared).length < 2) {
    const cause = `nothing of ${name} differs between ${step.older} and its successor ${step.successor}`;
    step.report(at, cause, 'remove it, or declare what differs');
  }
  return [{ resource, declared, at }];
}

/** The resources that are absent, with those below them. */
function absentResources(changes: readonly DeclaredChange[], { resources }: VersionStep): ReadonlySet<string> {
  const absent = new Set(changes.flatMap(({ change }) => (change.kind === 'absent' ? [change.resource] : [])));
  // Parents stand before their children.
  for (const { name, parent } of resources.values())
    if (parent !== null && absent.has(parent.resource)) absent.add(name);
  return absent;
}

function checkAbsent(entries: readonly Entry[], { older, successor, report }: VersionStep): void {
  for (const { resource, declared, at } of entries) {
    if (declared['absent'] === true && Object.keys(declared).length === 2) continue;
    const cause = `${older} does not have ${resource.name}, so nothing of it differs from its successor ${successor}`;
    report(at, cause, 'remove the change, or absent');
  }
}

/** The field with the id of the parent in both versions; null without a parent. */
function findParentId({ parent }: Resource, names: ReadonlyMap<string, OlderNames>): ParentId | null {
  if (parent === null) return null;
  const singular = names.get(parent.resource)?.singular;
  return { newer: parent.field, older: singular === undefined ? parent.field : `${singular}_id` };
}

function readResource(
  resource: Resource,
  entries: readonly Entry[],
  parent: ParentId | null,
  step: VersionStep,
): { readonly changes: readonly DeclaredChange[]; readonly paths: OlderPaths } {
  const fields: readonly DeclaredChange<FieldChange>[] = entries.flatMap(({ declared, at }) =>
    readFieldChanges(resource, declared, at, step),
  );
  new FieldCheck(resource, fields, parent, step).run();
  const paths = mapOlderPaths(fields, parent);
  const without = new Set(fields.flatMap(({ change }) => (change.kind === 'without' ? [change.field] : [])));
  const context = { resource, paths, step, without, read: new Set<string>(), filled: new Set<string>() };
  const others = entries.flatMap(({ declared, at }) => [
    ...readFill(declared, at, context),
    ...readValues(declared, at, context),
  ]);
  checkLoss(fields, context);
  return { changes: [...fields, ...others], paths };
}
