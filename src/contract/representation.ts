import type { Json, JsonObject } from '../conventions/json/json.ts';
import { type QueryPair, writeQuery } from '../conventions/url/query.ts';
import type { Field, Model, Resource } from '../model/model.ts';
import { listTimes } from '../model/table-source.ts';
import { type MapOrder, mapOrder } from '../model/values/map-order.ts';
import { compileComputed } from '../model/values/computed-value.ts';
import type { Observe } from '../observe/observation.ts';
import type { UrlBuilder, LinkBase } from '../plan/routes/url-builder.ts';
import type { Ancestor, Row } from '../plan/plan.ts';
import { ancestorMembers } from '../plan/row-address.ts';
import { type Relation, listRelations } from '../plan/expansion.ts';
import { filterName } from '../plan/parameters.ts';
import { type Projection, project } from '../plan/list/projection.ts';

/**
 * Represents a row (REP-1).
 *
 * @param within its ancestors, nearest first
 * @param options.projection the fields to include; null for all
 * @param options.related representations of related rows, by relation name (QRY-4)
 */
export type Representation = (
  row: Row,
  within: readonly Ancestor[],
  base: LinkBase,
  options?: RepresentationOptions,
) => JsonObject;

/** The differences from a whole representation. */
export interface RepresentationOptions {
  readonly projection?: Projection | null;
  readonly related?: JsonObject;
}

const WHOLE: RepresentationOptions = {};

type LinkWriter = (row: Row, within: readonly Ancestor[], base: LinkBase) => string | null;

/**
 * Writes the readable and computed members of a row, without links.
 *
 * @param projection the fields to include; null for all
 */
export type FieldWriter = (row: Row, projection?: Projection | null) => Record<string, Json>;

/**
 * Compiles the writer of a row's members: `id`, readable fields in declared order, computed ones, timestamps, revision
 * (REP-1, REP-11).
 *
 * @param observe receives the failures of computed members, which are then null
 */
export function compileFields(resource: Resource, observe: Observe): FieldWriter {
  const names = resource.fields.filter(({ writeOnly }) => !writeOnly).map(({ name }) => name);
  const maps = fieldsWithMaps(resource);
  const computed = resource.computed.map((field) => {
    const compute = compileComputed(field, (failure) =>
      observe({ kind: 'computed-value-failed', resource: resource.name, ...failure }),
    );
    return [field.name, compute] as const;
  });
  const times = listTimes(resource);
  const whole: FieldWriter = (row) => {
    const shown: Record<string, Json> = { id: row.id };
    for (const name of names) shown[name] = row[name] ?? null;
    for (const [name, order] of maps) shown[name] = order(row[name] ?? null);
    for (const [name, compute] of computed) shown[name] = compute(row);
    for (const name of times) shown[name] = row[name];
    shown['revision'] = row.revision;
    return shown;
  };
  const members: readonly (readonly [string, (row: Row) => Json])[] = [
    ...['id', ...names].map((name) => [name, memberReader(name, maps.get(name))] as const),
    ...computed,
    ...[...times, 'revision'].map((name) => [name, (row: Row) => row[name] ?? null] as const),
  ];
  return (row, projection = null) => {
    if (projection === null) return whole(row);
    const included = members.filter(([name]) => projection.has(name));
    return Object.fromEntries(included.map(([name, read]) => [name, project(read(row), projection.get(name) ?? null)]));
  };
}

/** Finds the readable fields that hold maps, with the order of their keys (REP-1). */
function fieldsWithMaps({ fields }: Resource): ReadonlyMap<string, MapOrder> {
  const orders = fields.filter(({ writeOnly }) => !writeOnly).map((field) => [field.name, mapOrder(field)] as const);
  return new Map(orders.flatMap(([name, order]) => (order === null ? [] : [[name, order] as const])));
}

function memberReader(name: string, order: MapOrder | undefined): (row: Row) => Json {
  return order === undefined ? (row) => row[name] ?? null : (row) => order(row[name] ?? null);
}

/** True if rows have hidden members for a reference: the ids above a nested row. */
function leadsBelow({ reference }: Field, resources: Model['resources']): boolean {
  return (resources.get(reference?.resource ?? '')?.parent ?? null) !== null;
}

/**
 * Compiles the writer for rows with exactly the members of the resource, in their order, as a store returns them.
 * Copying such a row takes half as long as writing its members one by one.
 *
 * @param writeFields the writer for any row
 */
export function compileStoredFields(
  resource: Resource,
  resources: Model['resources'],
  writeFields: FieldWriter,
): FieldWriter {
  const { fields, computed, parentKey } = resource;
  const hasHidden = parentKey.length > 1 || fields.some((field) => leadsBelow(field, resources));
  const isWhole =
    resource.table === null && !hasHidden && computed.length === 0 && fields.every(({ writeOnly }) => !writeOnly);
  if (!isWhole) return writeFields;
  const maps = fieldsWithMaps(resource);
  return (row, projection = null) => {
    if (projection !== null) return writeFields(row, projection);
    const shown: Record<string, Json> = { ...row };
    for (const [name, order] of maps) shown[name] = order(row[name] ?? null);
    return shown;
  };
}

/** Compiles the representation of a resource: the members of a row, then its links (REP-1, REP-9). */
export function compileRepresentation(
  model: Model,
  resource: Resource,
  urls: UrlBuilder,
  writeFields: FieldWriter,
): Representation {
  const writers = linkWriters(model, resource, urls);
  return (row, within, base, { projection = null, related = {} } = WHOLE) => {
    const members = writeFields(row, projection);
    for (const [name, value] of Object.entries(related)) members[name] = value;
    const targets: Record<string, string> = {};
    for (const [name, write] of writers) {
      const target = write(row, within, base);
      if (target !== null) targets[name] = target;
    }
    members['links'] = targets;
    return members;
  };
}

/** Names the filter that finds the rows of a resource that refer to another row by a field. */
export function referrersFilter({ field: fields }: Resource, field: string): string {
  return filterName(field, fields.get(field)?.type.kind === 'array' ? 'contains' : null);
}

/**
 * Makes the filter that finds the rows with the ids of an array of references. It is null without ids, or if it takes
 * more than half of a URL. The other half is for the cursor of the next page, which holds the filter too.
 *
 * @param target maximum length of a URL
 */
export function referredFilter(ids: Json | undefined, target: number): QueryPair | null {
  const most = target / 2;
  if (!Array.isArray(ids) || ids.length === 0 || ids.length > most) return null;
  const distinct = [...new Set(ids.filter((id) => typeof id === 'string'))];
  const filter = [filterName('id', 'in'), distinct] as const;
  return writeQuery([filter]).length > most ? null : filter;
}

/**
 * Compiles the links of a resource in their order: self, collection, up, relations of its fields, sub-collections and
 * inverse relations (REP-9).
 */
function linkWriters(model: Model, resource: Resource, urls: UrlBuilder): readonly (readonly [string, LinkWriter])[] {
  const writers: [string, LinkWriter][] = [
    ['self', (row, within, base) => urls.item(base, resource, within, row.id)],
    ['collection', (_row, within, base) => urls.collection(base, resource, within)],
  ];
  const parent = resource.parent === null ? undefined : model.resources.get(resource.parent.resource);
  if (parent !== undefined) {
    writers.push([
      'up',
      (_row, [above, ...further], base) => (above === undefined ? null : urls.item(base, parent, further, above.id)),
    ]);
  }
  for (const relation of listRelations(resource, model)) {
    const write = relation.linked ? relationLink(resource, relation, { model, urls }) : null;
    if (write !== null) writers.push([relation.name, write]);
  }
  return writers;
}

/** The context in which links are compiled. */
interface LinkContext {
  readonly model: Model;
  readonly urls: UrlBuilder;
}

/** Compiles the link of a relation with a URL; null if `up` is that link already. */
function relationLink(resource: Resource, relation: Relation, context: LinkContext): LinkWriter | null {
  const { kind, target, field, siblings } = relation;
  const { urls, model } = context;
  switch (kind) {
    case 'one':
      return field === resource.parent?.field ? null : itemLink(relation, context);
    case 'many':
      return (row, within, base) => {
        const filter = referredFilter(row[field], model.limits.target);
        return filter === null ? null : urls.collection(base, target, siblings ? within : [], writeQuery([filter]));
      };
    case 'children':
      return (row, within, base) => urls.collection(base, target, [{ resource: resource.name, id: row.id }, ...within]);
    case 'inverse': {
      const filter = referrersFilter(target, field);
      return (row, within, base) =>
        urls.collection(base, target, siblings ? within : [], writeQuery([[filter, row.id]]));
    }
  }
}

/**
 * Compiles the link to the row that a field refers to. Its ancestors are those of the referring row, or those that the
 * store read with the reference.
 */
function itemLink({ target, field, siblings }: Relation, { model, urls }: LinkContext): LinkWriter {
  const above = siblings ? [] : ancestorMembers(field, target, model.resources);
  return (row, within, base) => {
    const id = row[field];
    if (typeof id !== 'string') return null;
    const ancestors = above.map(({ resource, member }) => ({ resource, id: row[member] ?? null }));
    const named = ancestors.filter((ancestor): ancestor is Ancestor => typeof ancestor.id === 'string');
    if (named.length < ancestors.length) return null;
    return urls.item(base, target, siblings ? within : named, id);
  };
}
