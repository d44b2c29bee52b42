import { isJsonObject, type Json, type JsonObject } from '../conventions/json/json.ts';
import { fieldOfPath } from '../conventions/text/field-path.ts';
import type { Field, Model, Resource } from '../model/model.ts';
import { absentValue, storedForm } from '../model/values/stored-form.ts';
import type { ComparedPaths } from '../plan/events/recorded-values.ts';
import type { FieldValues } from '../plan/plan.ts';
import { relatedMember } from '../plan/related-values.ts';
import type { ResourceMapping } from './resource-mapping.ts';
import { NO_ROW } from './row-conversion.ts';
import type { Conversion, Source } from './sources.ts';

/** Converts values of rows, of which some may be missing. */
export class Snapshots {
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

  /** The values of the older contract for those of the newest, as far as all that they are made of is known. */
  lower(stored: Resource, values: FieldValues): FieldValues {
    const mapping = this.mapping(stored);
    const related = Object.entries(values).flatMap(([name, value]): readonly (readonly [string, Json])[] => {
      const field = stored.fields.find((each) => relatedMember(each.name) === name);
      if (field === undefined) return [];
      const older = mapping === null ? field.name : mapping.sameField(field.name);
      const { parent } = stored;
      const target = this.#resources.get(
        parent?.field === field.name ? parent.resource : (field.reference?.resource ?? ''),
      );
      if (older === null) return [];
      return [[relatedMember(older), isJsonObject(value) && target !== undefined ? this.lower(target, value) : null]];
    });
    return { ...(mapping === null ? values : convertDown(mapping, values)), ...Object.fromEntries(related) };
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

/** The values of the older contract for some stored values. What a function cannot convert is left out. */
function convertDown(mapping: ResourceMapping, values: FieldValues): FieldValues {
  const { older } = mapping;
  const system = Object.entries(values).filter(([name]) => name === 'created_at' || name === 'updated_at');
  const known = older.fields.filter(({ name }) =>
    mapping.columns([name]).every((column) => Object.hasOwn(values, column)),
  );
  const same = (): FieldValues =>
    Object.fromEntries(
      mapping.stored.fields.flatMap(({ name }): readonly (readonly [string, Json])[] => {
        const shown = mapping.sameField(name);
        return shown === null ? [] : [[shown, values[name] ?? null]];
      }),
    );
  let shown: FieldValues;
  try {
    shown = mapping.down({ ...values, ...NO_ROW });
  } catch {
    // Functions of models may throw anything.
    shown = same();
  }
  return Object.fromEntries([
    ...known.map(({ name }): readonly [string, Json] => [name, shown[name] ?? null]),
    ...system,
  ]);
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
