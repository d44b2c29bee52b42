import type { OwnerForm } from '../../../auth/policy-caller.ts';
import type { Json } from '../../../conventions/json/json.ts';
import type { Field, Model, Resource, ValueType } from '../../../model/model.ts';
import { keyMembers } from '../../../model/row-key.ts';
import { readObject } from '../../../model/values/access.ts';
import { recordedFields } from '../../../plan/events/recorded-values.ts';
import { listColumns } from '../columns.ts';
import { declaredOwnerForm } from './owner-names.ts';
import { storageType } from './schema.ts';

/** A field as instances of a model read and write it. */
export interface FieldProfile {
  readonly type: ValueType;
  readonly required: boolean;
  /** The value for rows without one; null where there is none. */
  readonly default: Json;
  /** The resource that it refers to. */
  readonly reference: string | null;
  /** The only values that are allowed, by the place in the value: `[["", ["NEW", "SOLD"]]]`. */
  readonly values: readonly (readonly [place: string, values: readonly Json[]])[];
  /** The stored form: the value, its digest, or the encrypted value. */
  readonly form: 'plain' | 'digest' | 'sealed';
}

/** A resource as instances of a model read and write it. */
export interface ResourceProfile {
  /** The name by which events are stored. */
  readonly singular: string;
  readonly fields: Readonly<Record<string, FieldProfile>>;
  /** The members that identify a row, and the resource above it. */
  readonly key: string;
  readonly search: readonly string[];
  /** The fields that row policies compare. */
  readonly judged: readonly string[];
  /** Each a list of fields, as a text. */
  readonly uniques: readonly string[];
  /** Present if the server makes its rows again, so that nothing is lost with them: the states of relays. */
  readonly derived?: true;
}

/**
 * The facts that instances of a model rely on when they read rows of others, as the database records them. Two models
 * with equal profiles share a database like one model.
 */
export interface ModelProfile {
  readonly owners: OwnerForm | null;
  readonly resources: Readonly<Record<string, ResourceProfile>>;
}

/** The names of the tables whose rows the server makes again, of models that the database records. */
export function listDerivedTables(models: readonly ModelProfile[]): ReadonlySet<string> {
  const resources = models.flatMap((model) => Object.entries(model.resources));
  return new Set(resources.flatMap(([name, { derived }]) => (derived === true ? [name] : [])));
}

/** The profile of a model, with its members in a fixed order, so that equal profiles have equal JSON. */
export function profileModel(model: Model): ModelProfile {
  const resources = [...model.resources.values()].map((each) => [each.name, resourceProfile(each, model)] as const);
  return { owners: declaredOwnerForm(model), resources: sorted(resources) };
}

function resourceProfile(resource: Resource, { resources, relays }: Model): ResourceProfile {
  const { parent, rows, search, uniques } = resource;
  const defaults = new Map(listColumns(resource).map((column) => [column.name, column.default]));
  const recorded = recordedFields(resources)(resource);
  const byFunction = rows.read.some(({ kind }) => kind === 'function');
  return {
    singular: resource.singular,
    fields: sorted(
      resource.fields.map((field) => [field.name, fieldProfile(resource, field, defaults.get(field.name) ?? null)]),
    ),
    key: describeKey(keyMembers(resource), parent?.resource ?? null),
    search: search.toSorted(),
    judged: byFunction
      ? ['every field']
      : [...recorded.fields.toSorted(), ...recorded.related.map((each) => JSON.stringify(each)).toSorted()],
    uniques: uniques.map((fields) => fields.join()).toSorted(),
    ...(resource.name === relays && { derived: true }),
  };
}

/** Describes the key of a row. @param members of its key @param parent null for a resource without one */
export function describeKey(members: readonly string[], parent: string | null): string {
  return `${members.join()} below ${parent ?? 'the root'}`;
}

function fieldProfile(resource: Resource, field: Field, value: Json): FieldProfile {
  const { name, type, nullable, reference, shownOnce, generator } = field;
  const isSealed = generator?.kind === 'secret' && generator.sealed === true;
  const states = resource.state?.field === name ? resource.state.transitions : null;
  const declared = readObject(resource.schema['properties'])[name] ?? null;
  return {
    type: withoutIds(type),
    required: !nullable,
    default: value,
    reference: reference === null ? null : `${reference.resource}${reference.siblings === true ? ' below it' : ''}`,
    values: [...(states === null ? [] : [['state', [...states.keys()]] as const]), ...allowedValues(declared, '')],
    form: isSealed ? 'sealed' : shownOnce ? 'digest' : 'plain',
  };
}

/**
 * The type without the origin of ids, which follows from the reference, and without its form in the database: profiles
 * of earlier versions have none.
 */
function withoutIds(type: ValueType): ValueType {
  if (type.kind === 'text') return { kind: type.kind, format: type.format };
  if (type.kind !== 'array') return type;
  return { kind: type.kind, item: { ...type.item, type: withoutIds(type.item.type) } };
}

/** The values that `enum` and `const` of a schema allow, wherever they are in it. */
function allowedValues(schema: Json, place: string): FieldProfile['values'] {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return [];
  return Object.entries(schema).flatMap(([keyword, value]): FieldProfile['values'] => {
    if (keyword === 'enum' && Array.isArray(value)) return [[place, value]];
    if (keyword === 'const') return [[place, [value]]];
    if (keyword === 'properties') {
      return Object.entries(readObject(value)).flatMap(([name, of]) => allowedValues(of, `${place}.${name}`));
    }
    return keyword === 'items' || keyword === 'additionalProperties' ? allowedValues(value, `${place}[]`) : [];
  });
}

/**
 * The form in which a value is stored and represented, down to its members. Bounds, patterns and formats are no part of
 * it.
 */
export function storedForm(type: ValueType): Json {
  switch (type.kind) {
    case 'object': {
      const members = type.members.map((each): readonly [string, Json] => [
        each.name,
        [storedForm(each.type), each.nullable],
      ]);
      return ['object', sorted(members)];
    }
    case 'map':
      return ['map', storedForm(type.value.type), type.value.nullable];
    case 'array':
      return ['array', storedForm(type.item.type), type.item.nullable];
    case 'text':
    case 'integer':
    case 'number':
    case 'boolean':
    case 'date-time':
    case 'decimal':
    case 'int64':
    case 'binary':
    case 'json':
      return storageType(type);
  }
}

export function isSameProfile(one: ModelProfile, other: ModelProfile): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function sorted<T>(members: readonly (readonly [string, T])[]): Readonly<Record<string, T>> {
  return Object.fromEntries(members.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
