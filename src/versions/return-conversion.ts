import type { Json } from '../conventions/json/json.ts';
import type { Field, Model, OlderVersion, Resource } from '../model/model.ts';
import { compileAssertion, type FindViolations } from '../model/values/validator.ts';
import { memberAssertions } from '../model/values/assertion.ts';
import { absentValue, storedForm } from '../model/values/stored-form.ts';
import type { FieldValues, Row } from '../plan/plan.ts';
import { contractMappings } from './contract-mapping.ts';
import { findLosses } from './lost-values.ts';
import type { ResourceMapping } from './resource-mapping.ts';
import {
  type ConvertedValues,
  contractTable,
  describeViolations,
  NO_ROW,
  type RowConversion,
  type StoredDifference,
} from './row-conversion.ts';

/** Makes the model that a database of the newest contract is migrated back to: that of an older version alone. */
export function olderModel(newest: Model, version: OlderVersion): Model {
  const tables = new Map([...version.model.resources.values()].map((each) => [each.name, contractTable(each)]));
  const rename = <T extends { readonly resource: string }>(each: T): T => ({
    ...each,
    resource: tables.get(each.resource) ?? each.resource,
  });
  const resources = [...version.model.resources.values()].map((older): Resource => {
    const fields = older.fields.map((field) => ({
      ...field,
      was: null,
      reference: field.reference === null ? null : rename(field.reference),
    }));
    return {
      ...older,
      name: contractTable(older),
      was: null,
      fields,
      field: new Map(fields.map((field) => [field.name, field])),
      parent: older.parent === null ? null : rename(older.parent),
      dependents: older.dependents.map(rename),
      links: older.links.map(rename),
    };
  });
  return {
    ...version.model,
    resources: new Map(resources.map((each) => [each.name, each])),
    collections: new Map(resources.map((each) => [each.collection, each])),
    returnFrom: { newest, version },
  };
}

/**
 * Finds the differences between rows of the newest contract and those that an older one would have stored.
 *
 * @param target see {@link olderModel}
 */
export function findReturnDifference(
  target: Model,
  { newest, version }: NonNullable<Model['returnFrom']>,
): StoredDifference {
  const mappings = contractMappings(newest)[newest.versions.indexOf(version)]?.resources ?? new Map();
  const resources = new Map<string, Resource>();
  const conversions = new Map<string, RowConversion>();
  for (const [key, older] of version.model.resources) {
    const [table, stored, mapping] = [contractTable(older), newest.resources.get(key), mappings.get(key)];
    const resource = target.resources.get(table);
    if (resource === undefined || stored === undefined) continue;
    const renamed = { ...resource, was: stored.name === table ? null : stored.name };
    resources.set(table, mapping === undefined ? renamed : withStoredNames(renamed, mapping));
    const conversion = mapping === undefined ? null : planReturn(mapping, renamed);
    if (conversion !== null) conversions.set(table, conversion);
  }
  return { model: { ...target, resources }, conversions };
}

/** Names the fields of which only the name differs as they are stored. */
function withStoredNames(resource: Resource, mapping: ResourceMapping): Resource {
  const fields = resource.fields.map((field): Field => {
    const from = findStoredField(mapping, field.name);
    return { ...field, was: from === field.name ? null : from };
  });
  return { ...resource, fields, field: new Map(fields.map((field) => [field.name, field])) };
}

/** The stored field with the values of one of the older contract; null where there is none, or names are exchanged. */
function findStoredField(mapping: ResourceMapping, name: string): string | null {
  const source = mapping.findSource(name);
  if (source?.kind !== 'field') return null;
  return source.name !== name && mapping.stored.field.has(name) ? null : source.name;
}

function planReturn(mapping: ResourceMapping, older: Resource): RowConversion | null {
  const same = new Map(older.fields.map(({ name }) => [name, findStoredField(mapping, name)]));
  const kept = new Set(same.values());
  const from = mapping.stored.fields.filter(({ name }) => !kept.has(name) && name !== mapping.stored.parent?.field);
  const to = older.fields.filter(({ name }) => same.get(name) === null && name !== older.parent?.field);
  return from.length + to.length === 0 ? null : new ReturnConversion(mapping, older, { from, to });
}

interface ConvertedFields {
  readonly from: readonly Field[];
  readonly to: readonly Field[];
}

class ReturnConversion implements RowConversion {
  readonly isReturn = true;
  readonly older: Resource;
  readonly stored: Resource;
  readonly from: readonly Field[];
  readonly to: readonly Field[];
  readonly #mapping: ResourceMapping;
  readonly #findViolations: FindViolations;
  /** The values of a new row of the older contract. */
  readonly #created: FieldValues;

  constructor(mapping: ResourceMapping, older: Resource, { from, to }: ConvertedFields) {
    this.older = mapping.stored;
    this.stored = older;
    this.from = from;
    this.to = to;
    this.#mapping = mapping;
    this.#findViolations = compileAssertion({ type: 'object', properties: memberAssertions(to, older.schema) });
    this.#created = Object.fromEntries(from.map((field) => [field.name, absentValue(field)]));
  }

  convert(before: FieldValues): ConvertedValues {
    try {
      const row: Row = { ...before, ...NO_ROW };
      const shown = this.#mapping.down(row);
      const values = this.#complete(shown);
      const after = { ...this.#created, ...this.#mapping.up(values, null) };
      // The older contract holds a row if the newest one makes the same row of it again.
      const problems = [...describeViolations(this.#findViolations(values)), ...findLosses(this.from, before, after)];
      return { values, problems };
    } catch (error) {
      // Functions of models may throw anything.
      const message = error instanceof Error ? error.message : String(error);
      const field = this.from.map(({ name }) => name).join(', ');
      return { values: this.#complete({}), problems: [{ kind: 'failed', field, message }] };
    }
  }

  #complete(values: FieldValues): FieldValues {
    return Object.fromEntries(
      this.to.map((field): [string, Json] => [field.name, storedForm(field)(values[field.name] ?? null)]),
    );
  }
}
