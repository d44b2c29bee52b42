import { fieldOfPath } from '../../../conventions/text/field-path.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../conventions/json/json.ts';
import type { Resource, VersionChange } from '../../model.ts';
import { readArray, readObject, readString, readStrings } from '../../values/access.ts';
import type { OlderPaths } from './field-paths.ts';
import { valueKey, olderValues, shownValue } from './listed-values.ts';
import type { OlderNames } from './read-names.ts';
import { OlderSchema } from './older-schema.ts';
import type { DeclaredChange } from './version-step.ts';

/** The sources of a resource of the older version. */
interface OlderInputs {
  /** The resource of the successor. */
  readonly resource: Resource;
  readonly declared: JsonObject;
  readonly changes: readonly DeclaredChange[];
  readonly paths: OlderPaths;
  readonly names: OlderNames | undefined;
}

/**
 * Derives the declaration of a resource in the older version.
 *
 * The newest model alone judges owners, row policies, hooks and former names. It alone names the columns of a table.
 * It also judges the rules of fields that the older version does not have: indexes, unique groups, sort, state machine.
 */
export function olderResource(inputs: OlderInputs): JsonObject {
  const { resource, declared, changes, paths, names } = inputs;
  const { was: _was, columns: _columns, key: _key, ...contract } = declared;
  const { access, sort, time_field: timeField, state, generated, ...settings } = contract;
  const field = (name: string): readonly string[] => toNames(paths.field(name));
  const path = (name: string): readonly string[] => toNames(paths.of(name));
  const ownSort = olderSort(readString(sort), paths);
  const ownTime = timeField === undefined ? null : paths.field(readString(timeField) ?? '');
  const ownState = olderState(readObject(state), inputs);
  return {
    ...settings,
    // The names of a contract that is served already: a first word that is a verb is no mistake in it.
    ...(names === undefined ? {} : { ...names, noun: true }),
    schema: new OlderSchema(resource, changes, paths).derive(),
    ...listMember(declared, 'unique', (list) => wholeLists(list, field)),
    ...listMember(declared, 'indexes', (list) => wholeLists(list, path)),
    ...listMember(declared, 'search', (list) => readStrings(list).flatMap(path)),
    ...(ownSort === null ? {} : { sort: ownSort }),
    ...(ownTime === null ? {} : { time_field: ownTime }),
    ...(ownState === null ? {} : { state: ownState }),
    ...(generated === undefined ? {} : { generated: olderGenerated(readObject(generated), paths) }),
    ...(access === undefined ? {} : { access: { fields: olderFieldRules(readObject(access), inputs) } }),
    ...queriedPaths(inputs),
  };
}

function toNames(name: string | null): readonly string[] {
  return name === null ? [] : [name];
}

function listMember(declared: JsonObject, name: string, derive: (value: Json) => Json): JsonObject {
  const value = declared[name];
  return value === undefined ? {} : { [name]: derive(value) };
}

/** The lists of paths of which the older version has all. */
function wholeLists(lists: Json, older: (path: string) => readonly string[]): readonly Json[] {
  return readArray(lists).flatMap((each) => {
    const names = readStrings(each);
    const found = names.flatMap(older);
    return found.length === names.length ? [typeof each === 'string' ? (found[0] ?? each) : found] : [];
  });
}

/** The default sort by what the older version has of its keys; null for the default. */
function olderSort(sort: string | null, paths: OlderPaths): string | null {
  const keys = (sort ?? '').split(',').flatMap((key) => {
    const sign = key.startsWith('-') ? '-' : '';
    return toNames(paths.of(key.slice(sign.length))).map((path) => sign + path);
  });
  const text = keys.join(',');
  return text === '' ? null : text;
}

/**
 * Lists the fields that sorts and filters of the older version can name. They are those of the successor, except fields
 * whose values are converted or not one-to-one: a value would not identify rows.
 */
function queriedPaths({ resource, changes, paths }: OlderInputs): JsonObject {
  const vague = new Set(
    changes.flatMap(({ change }) => (change.kind === 'values' && !change.isOneToOne ? [change.field] : [])),
  );
  const older = (key: 'sortable' | 'filterable'): readonly string[] =>
    [...resource.properties.values()]
      .filter((property) => property[key])
      .flatMap(({ path }) => toNames(paths.of(path)))
      .filter((path) => !vague.has(path));
  return { sortable: older('sortable'), filterable: older('filterable') };
}

/** The state machine with the states of the older version; null where it does not have the field. */
function olderState(state: JsonObject, { resource, changes, paths }: OlderInputs): JsonObject | null {
  const name = readString(state['field']);
  const field = name === null ? null : paths.field(name);
  if (field === null || resource.state === null) return null;
  const change = changes.flatMap(({ change: each }) => (changesValues(each, field) ? [each] : []))[0];
  if (change === undefined) return { ...state, field };
  const statesOf = (value: Json): readonly string[] => readStrings(olderValues([value], change));
  const transitions = Object.entries(readObject(state['transitions'])).flatMap(([from, targets]) => {
    const next = readArray(targets).flatMap((target): readonly Json[] =>
      isJsonObject(target) ? statesOf(target['to'] ?? null).map((to) => ({ ...target, to })) : statesOf(target),
    );
    return statesOf(from).map((each) => [each, next] as const);
  });
  return {
    field,
    initial: shownValue(state['initial'] ?? null, change),
    transitions: Object.fromEntries(transitions),
  };
}

function changesValues(change: VersionChange, field: string): change is Extract<VersionChange, { kind: 'values' }> {
  return change.kind === 'values' && change.field === field;
}

/** Lists the generated fields. Their schemas are read-only, too. */
function olderGenerated(generated: JsonObject, paths: OlderPaths): JsonObject {
  return Object.fromEntries(
    Object.entries(generated).flatMap(([name, rule]): readonly (readonly [string, Json])[] => {
      const field = paths.field(name);
      if (field === null) return [];
      if (!isJsonObject(rule)) return [[field, rule]];
      const { hint, ...secret } = rule;
      const shown = typeof hint === 'string' ? paths.field(hint) : null;
      return [[field, { ...secret, ...(shown === null ? {} : { hint: shown }) }]];
    }),
  );
}

/** The access rules of fields. A converted field has the narrowest rules of the fields that it converts to. */
function olderFieldRules(access: JsonObject, { changes, paths }: OlderInputs): JsonObject {
  const rules = readObject(access['fields']);
  const own = Object.entries(rules).flatMap(([name, rule]) =>
    toNames(paths.field(name)).map((field) => [field, rule] as const),
  );
  const others = changes.flatMap(({ change }) => {
    if (change.kind === 'convert') {
      const rule = narrowest(change.to.flatMap((name) => rules[name] ?? []));
      return rule === null ? [] : change.from.map((name) => [name, rule] as const);
    }
    if (change.kind !== 'move' || change.from.includes('.')) return [];
    const rule = rules[fieldOfPath(change.to)];
    return rule === undefined ? [] : [[change.from, rule] as const];
  });
  return Object.fromEntries([...own, ...others]);
}

/** Rules that are at least as narrow as each of some, of which no two have different scopes. */
function narrowest(rules: readonly Json[]): JsonObject | null {
  if (rules.length === 0) return null;
  const width = (rule: Json): number => (isJsonObject(rule) ? 0 : rule === 'authenticated' ? 1 : 2);
  const of = (operation: 'read' | 'write'): JsonObject => {
    const declared = rules.flatMap((rule) => readObject(rule)[operation] ?? []);
    const [first] = declared.toSorted((a, b) => width(a) - width(b) || valueKey(a).localeCompare(valueKey(b)));
    return first === undefined ? {} : { [operation]: first };
  };
  return { ...of('read'), ...of('write') };
}
