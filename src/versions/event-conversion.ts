import { weakMemoize } from '../cache/memoize.ts';
import type { JsonObject } from '../conventions/json/json.ts';
import { fieldOfPath } from '../conventions/text/field-path.ts';
import type { ContractVersion, Model, OlderVersion, Resource } from '../model/model.ts';
import { type ComparedPaths, comparedPaths } from '../plan/events/recorded-values.ts';
import type { FieldValues } from '../plan/plan.ts';
import { findContractMapping } from './contract-mapping.ts';
import type { ResourceMapping } from './resource-mapping.ts';
import { isUnsetValue } from './shown-values.ts';
import { listStoredPaths } from './stored-paths.ts';
import { Snapshots } from './snapshots.ts';

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
  /** The resource in the older contract. */
  readonly older: Resource;
  /** Converts an event of the newest contract back to the older one. */
  lower(values: EventValues): EventValues;
  lowerRecorded(values: FieldValues): FieldValues;
  /** Converts the values of a whole row. */
  convertRow(values: JsonObject): FieldValues;
}

/** Finds the conversion of a resource's events. @param singular that of the newest contract; null if nothing differs */
export type FindEventConversion = (version: OlderVersion, singular: string) => EventConversion | null;

/** The conversions of all older contracts of a model, and of one that it does not list. */
export const eventConversions: (model: Model) => FindEventConversion = weakMemoize((model) => {
  const conversionsFrom = weakMemoize((version: OlderVersion): ReadonlyMap<string, EventConversion> => {
    const { resources: mappings } = findContractMapping(model, version);
    const conversions = [...model.resources.values()].flatMap((stored) => {
      const older = version.model.resources.get(stored.name);
      if (older === undefined) return [];
      return [[stored.singular, new ResourceEvents(model, { version, older, stored, mappings })] as const];
    });
    return new Map(conversions);
  });
  return (version, singular) => conversionsFrom(version).get(singular) ?? null;
});

interface VersionedResource {
  readonly version: OlderVersion;
  readonly older: Resource;
  readonly stored: Resource;
  readonly mappings: ReadonlyMap<string, ResourceMapping>;
}

class ResourceEvents implements EventConversion {
  readonly version: ContractVersion;
  readonly older: Resource;
  readonly #stored: Resource;
  readonly #snapshots: Snapshots;
  readonly #compared: ComparedPaths;

  constructor({ resources }: Model, { version, older, stored, mappings }: VersionedResource) {
    this.version = version.version;
    this.older = older;
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
    return names.every((name) => this.older.field.has(fieldOfPath(name)));
  }

  convertRecorded(values: FieldValues): FieldValues {
    return this.#snapshots.recorded(this.#stored, values, this.#compared);
  }

  lower({ changed, members = [], data, before, after }: EventValues): EventValues {
    const mapping = this.#snapshots.mapping(this.#stored);
    const names = mapping === null ? changed : changed.flatMap((name) => mapping.changed(name, members));
    const recorded = (values: FieldValues | null): FieldValues | null =>
      values === null ? null : this.lowerRecorded(values);
    return {
      changed: [...new Set(names)],
      data: data === null ? null : { id: data['id'] ?? null, ...this.#snapshots.lower(this.#stored, data) },
      before: recorded(before),
      after: recorded(after),
    };
  }

  lowerRecorded(values: FieldValues): FieldValues {
    return this.#snapshots.lower(this.#stored, values);
  }

  convertRow(values: JsonObject): FieldValues {
    return this.#snapshots.whole(this.#stored, values);
  }

  #changedPaths(changed: readonly string[], members: readonly string[]): readonly string[] {
    const mapping = this.#snapshots.mapping(this.#stored);
    if (mapping === null) return [...changed, ...members];
    return changed.flatMap((name) => {
      const source = mapping.findSource(name);
      if (source === null) return [];
      const own = members.filter((path) => fieldOfPath(path) === name).map((path) => path.slice(name.length + 1));
      return listStoredPaths(source, this.older.field.get(name) ?? null, own.length === 0 ? null : own);
    });
  }
}
