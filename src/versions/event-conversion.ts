import { weakMemoize } from '../cache/memoize.ts';
import { isJsonObject, type Json, type JsonObject } from '../conventions/json/json.ts';
import { fieldOfPath } from '../conventions/text/field-path.ts';
import type { ContractVersion, Field, Model, OlderVersion, Resource } from '../model/model.ts';
import { absentValue, storedForm } from '../model/values/stored-form.ts';
import { type ComparedPaths, comparedPaths } from '../plan/events/recorded-values.ts';
import type { FieldValues } from '../plan/plan.ts';
import { relatedMember } from '../plan/related-values.ts';
import { contractMappings } from './contract-mapping.ts';
import type { ResourceMapping } from './resource-mapping.ts';
import { isUnsetValue } from './shown-values.ts';
import { listStoredPaths } from './stored-paths.ts';
import type { Conversion, Source } from './sources.ts';

/** The values of an event that depend on the contract under which it was written. */
export interface EventValues {
  /** The fields whose values changed. */
  readonly changed: readonly string[];
  /** The paths at which changed objects differ, if they are known. */
  readonly members?: readonly string[];
  /** null without data. */
  readonly data: JsonObject | null;
  /** The values that policies compare, with those of related rows. */
  readonly before: FieldValues | null;
  readonly after: FieldValues | null;
}

/** Converts events of a resource that were written under an older contract to the newest one (VER-5c). */
export interface EventConversion {
  /** The older contract. */
  readonly version: ContractVersion;
  /** @param isCreation true if the event says that a row was created */
  convert(values: EventValues, isCreation: boolean): EventValues;
  /** Checks if names of fields are names of the older contract. */
  knows(names: readonly string[]): boolean;
  /** Converts recorded values of a row, such as those of a tombstone. */
  convertRecorded(values: FieldValues): FieldValues;
}

/** Finds the conversion of a resource's events. @param singular that of the newest contract; null if nothing differs */
export type FindEventConversion = (version: OlderVersion, singular: string) => EventConversion | null;

/** The conversions of all older contracts of a model. */
export const eventConversions: (model: Model) => FindEventConversion = weakMemoize((model) => {
  const byVersion = contractMappings(model).map(({ resources: mappings }, index) => {
    const version = model.versions[index];
    const conversions = [...model.resources.values()].flatMap((stored) => {
      const older = version?.model.resources.get(stored.name);
      if (version === undefined || older === undefined) return [];
      return [[stored.singular, new ResourceEvents(model, { version, older, stored, mappings })] as const];
    });
    return new Map(conversions);
  });
  return (version, singular) => byVersion[model.versions.indexOf(version)]?.get(singular) ?? null;
});

interface VersionedResource {
  readonly version: OlderVersion;
  readonly older: Resource;
  readonly stored: Resource;
  readonly mappings: ReadonlyMap<string, ResourceMapping>;
}

class ResourceEvents implements EventConversion {
  readonly version: ContractVersion;
  readonly #older: Resource;
  readonly #stored: Resource;
  readonly #snapshots: Snapshots;
  readonly #compared: ComparedPaths;

  constructor({ resources }: Model, { version, older, stored, mappings }: VersionedResource) {
    this.version = version.version;
    this.#older = older;
    this.#stored = stored;
    this.#snapshots = new Snapshots(resources, mappings);
    this.#compared = comparedPaths(resources)(stored);
  }

  convert({ changed, members, data, before, after }: EventValues, isCreation: boolean): EventValues {
    const paths = this.#changedPaths(changed, members ?? []);
    const fields = new Set(paths.map(fieldOfPath));
    const { field } = this.#stored;
    const inner = paths.filter((path) => field.get(fieldOfPath(path))?.type.kind === 'object');
    const snapshots = this.#snapshots;
    const added = isCreation ? snapshots.added(this.#stored) : {};
    const recorded = (values: FieldValues | null): FieldValues | null =>
      values === null ? null : this.convertRecorded(values);
    return {
      changed: this.#stored.fields.flatMap(({ name }) =>
        fields.has(name) || !isUnsetValue(added[name] ?? null) ? [name] : [],
      ),
      ...(members === undefined && inner.length === 0 ? {} : { members: inner }),
      data: data === null ? null : { id: data['id'] ?? null, ...snapshots.whole(this.#stored, data) },
      before: recorded(before),
      after: recorded(after),
    };
  }

  knows(names: readonly string[]): boolean {
    return names.every((name) => this.#older.field.has(fieldOfPath(name)));
  }

  convertRecorded(values: FieldValues): FieldValues {
    return this.#snapshots.recorded(this.#stored, values, this.#compared);
  }

  #changedPaths(changed: readonly string[], members: readonly string[]): readonly string[] {
    const mapping = this.#snapshots.mapping(this.#stored);
    if (mapping === null) return [...changed, ...members];
    return changed.flatMap((name) => {
      const source = mapping.findSource(name);
      if (source === null) return [];
      const own = members.filter((path) => fieldOfPath(path) === name).map((path) => path.slice(name.length + 1));
      return listStoredPaths(source, this.#older.field.get(name) ?? null, own.length === 0 ? null : own);
    });
  }
}

/** Converts values of rows, of which some may be missing. */
class Snapshots {
  readonly #resources: Model['resources'];
  readonly #mappings: ReadonlyMap<string, ResourceMapping>;

  constructor(resources: Model['resources'], mappings: ReadonlyMap<string, ResourceMapping>) {
    this.#resources = resources;
    this.#mappings = mappings;
  }

  /** null where rows are the same in both contracts. */
  mapping({ name }: Resource): ResourceMapping | null {
    return this.#mappings.get(name) ?? null;
  }

  /** The values of the fields that the older contract does not have, in rows that it creates. */
  added(stored: Resource): FieldValues {
    const mapping = this.mapping(stored);
    if (mapping === null) return {};
    const hidden = mapping.hiddenFields(new Set());
    const fills = mapping.up({}, null);
    return Object.fromEntries(
      stored.fields.flatMap((field): readonly (readonly [string, Json])[] =>
        hidden.has(field.name) ? [[field.name, fills[field.name] ?? absentValue(field)]] : [],
      ),
    );
  }

  /** The values of all fields of a row. */
  whole(stored: Resource, before: JsonObject): FieldValues {
    const mapping = this.mapping(stored);
    if (mapping === null) return before;
    const up = { ...this.added(stored), ...convertUp(mapping, before) };
    return Object.fromEntries(
      stored.fields.flatMap((field): readonly (readonly [string, Json])[] => {
        const value = up[field.name];
        return value === undefined ? [] : [[field.name, storedForm(field)(value)]];
      }),
    );
  }

  /**
   * The recorded values of a row and of those that it refers to. A field has none where one of the values that it is
   * made of was not recorded: policies count it as unknown then.
   */
  recorded(stored: Resource, before: FieldValues, { paths, related }: ComparedPaths): FieldValues {
    const mapping = this.mapping(stored);
    const own = mapping === null ? before : this.#recordedFields(mapping, before, paths);
    const others = [...related].flatMap(([field, { resource, node }]): readonly (readonly [string, Json])[] => {
      const value = before[relatedMember(mapping?.sameField(field) ?? field)];
      if (value === undefined) return [];
      const target = this.#resources.get(resource);
      if (!isJsonObject(value) || target === undefined) return [[relatedMember(field), null]];
      return [[relatedMember(field), this.recorded(target, value, node)]];
    });
    return { ...own, ...Object.fromEntries(others) };
  }

  #recordedFields(mapping: ResourceMapping, before: FieldValues, paths: ReadonlySet<string>): FieldValues {
    const { stored } = mapping;
    const up = { ...this.added(stored), ...convertUp(mapping, before) };
    const byField = Map.groupBy(paths, fieldOfPath);
    const isKnown = (path: string): boolean =>
      mapping.changed(fieldOfPath(path), [path]).every((name) => Object.hasOwn(before, name));
    const fields = [...byField].flatMap(([name, compared]): readonly (readonly [string, Json])[] => {
      const field = stored.field.get(name);
      // Times, which are the same in all contracts.
      if (field === undefined) return Object.hasOwn(before, name) ? [[name, before[name] ?? null]] : [];
      if (!compared.every(isKnown) || (up[name] === undefined && !isAdded(field, mapping))) return [];
      return [[name, storedForm(field)(up[name] ?? absentValue(field))]];
    });
    return Object.fromEntries(fields);
  }
}

/** True if no field of the older contract is stored in a field. */
function isAdded({ name }: Field, mapping: ResourceMapping): boolean {
  return !mapping.columns(mapping.older.fields.map((field) => field.name)).includes(name);
}

/** The stored values that some values of the older contract mean. What a function cannot convert is left out. */
function convertUp(mapping: ResourceMapping, values: FieldValues): FieldValues {
  const { older } = mapping;
  const known = older.fields.filter(({ name }) => Object.hasOwn(values, name));
  const conversions = new Map(known.map(({ name }) => [name, listConversions(mapping.findSource(name))]));
  const missing = new Set(
    older.fields.flatMap(({ name }) => (conversions.has(name) ? [] : listConversions(mapping.findSource(name)))),
  );
  const select = (isUsed: (made: readonly Conversion[]) => boolean): FieldValues =>
    Object.fromEntries(
      known.flatMap(({ name }): readonly (readonly [string, Json])[] =>
        isUsed(conversions.get(name) ?? []) ? [[name, values[name] ?? null]] : [],
      ),
    );
  try {
    // A function gets all of its values, or is not called.
    return mapping.up(
      select((made) => made.every((each) => !missing.has(each))),
      null,
    );
  } catch {
    // Functions of models may throw anything.
    return mapping.up(
      select((made) => made.length === 0),
      null,
    );
  }
}

/** The conversions that a value of the older contract is a part of. */
function listConversions(source: Source | null): readonly Conversion[] {
  switch (source?.kind) {
    case 'converted':
      return [source.conversion, ...[...source.conversion.inputs.values()].flatMap(listConversions)];
    case 'values':
    case 'member':
      return listConversions(source.of);
    case 'object':
      return [source.of, ...source.members.values()].flatMap(listConversions);
    case 'field':
    case 'constant':
    case undefined:
      return [];
  }
}
