import type { Json, JsonObject } from '../../conventions/json.ts';
import { writeQuery } from '../../conventions/query.ts';
import { compileComputed } from '../../model/compile/computed-fields.ts';
import type { Model, Resource } from '../../model/model.ts';
import type { UrlBuilder, LinkBase } from '../../plan/url-builder.ts';
import type { Ancestor, Row } from '../../plan/plan.ts';
import { type Relation, relationsOf } from '../../plan/expansion.ts';
import { filterName } from '../../plan/parameters.ts';
import { type Projection, project } from '../../plan/projection.ts';

/**
 * A row as one caller sees it (REP-1).
 *
 * @param within the rows above it, nearest first
 * @param projection what is told of it; null for everything
 * @param related what is told of other rows, by the names of the relations (QRY-4)
 */
export type Representation = (
  row: Row,
  within: readonly Ancestor[],
  base: LinkBase,
  projection?: Projection | null,
  related?: JsonObject,
) => JsonObject;

type LinkWriter = (row: Row, within: readonly Ancestor[], base: LinkBase) => string | null;

/** A row without links: what may leave of it, and what is worked out from it, as far as a projection tells it. */
export type FieldWriter = (row: Row, projection?: Projection | null) => Record<string, Json>;

/** Compiles what is shown of a row: `id`, readable fields in declared order, computed ones, timestamps, revision (REP-1, REP-11). */
export function compileFields(resource: Resource): FieldWriter {
  const names = resource.fields.filter(({ writeOnly }) => !writeOnly).map(({ name }) => name);
  const computed = resource.computed.map((field) => [field.name, compileComputed(resource.name, field)] as const);
  const whole: FieldWriter = (row) => {
    const shown: Record<string, Json> = { id: row.id };
    for (const name of names) shown[name] = row[name] ?? null;
    for (const [name, compute] of computed) shown[name] = compute(row);
    shown['created_at'] = row.created_at;
    shown['updated_at'] = row.updated_at;
    shown['revision'] = row.revision;
    return shown;
  };
  const members: readonly (readonly [string, (row: Row) => Json])[] = [
    ...['id', ...names].map((name) => [name, (row: Row) => row[name] ?? null] as const),
    ...computed,
    ...['created_at', 'updated_at', 'revision'].map((name) => [name, (row: Row) => row[name] ?? null] as const),
  ];
  return (row, projection = null) => {
    if (projection === null) return whole(row);
    const told = members.filter(([name]) => projection.has(name));
    return Object.fromEntries(told.map(([name, read]) => [name, project(read(row), projection.get(name) ?? null)]));
  };
}

/**
 * Compiles what is shown of a row that has exactly the members of the resource, in their order: as a store gives it. Copied it takes half as
 * long as member by member.
 *
 * @param show of any row
 */
export function compileStoredFields({ fields, computed }: Resource, show: FieldWriter): FieldWriter {
  const isShownWhole = computed.length === 0 && fields.every(({ writeOnly }) => !writeOnly);
  if (!isShownWhole) return show;
  return (row, projection = null) => (projection === null ? { ...row } : show(row, projection));
}

/** Compiles the representation of a resource: what is shown of a row, then its links (REP-1, REP-9). */
export function compileRepresentation(
  model: Model,
  resource: Resource,
  links: UrlBuilder,
  show: FieldWriter,
): Representation {
  const writers = linkWriters(model, resource, links);
  return (row, within, base, projection = null, related = {}) => {
    const shown = show(row, projection);
    for (const [name, told] of Object.entries(related)) shown[name] = told;
    const targets: Record<string, string> = {};
    for (const [name, write] of writers) {
      const target = write(row, within, base);
      if (target !== null) targets[name] = target;
    }
    shown['links'] = targets;
    return shown;
  };
}

/** The filter that finds the rows of a resource which refer to one by a field. */
export function referrersFilter({ field: fields }: Resource, field: string): string {
  return filterName(field, fields.get(field)?.type.kind === 'array' ? 'contains' : null);
}

/**
 * The links of a resource in their order: self, collection, up, to-one relations, sub-collections and inverse relations (REP-9).
 */
function linkWriters(model: Model, resource: Resource, links: UrlBuilder): readonly (readonly [string, LinkWriter])[] {
  const writers: [string, LinkWriter][] = [
    ['self', (row, within, base) => links.item(base, resource, within, row.id)],
    ['collection', (_row, within, base) => links.collection(base, resource, within)],
  ];
  const parent = resource.parent === null ? undefined : model.resources.get(resource.parent.resource);
  if (parent !== undefined) {
    writers.push([
      'up',
      (_row, [above, ...further], base) => (above === undefined ? null : links.item(base, parent, further, above.id)),
    ]);
  }
  for (const relation of relationsOf(resource, model)) {
    const write = relationLink(resource, relation, links);
    if (write !== null) writers.push([relation.name, write]);
  }
  return writers;
}

/** The link of a relation; null where `up` is its link already, or where the row alone does not say what the other one is below. */
function relationLink(resource: Resource, { kind, target, field }: Relation, links: UrlBuilder): LinkWriter | null {
  switch (kind) {
    case 'one':
      if (target.parent !== null || field === resource.parent?.field) return null;
      return (row, _within, base) => {
        const id = row[field];
        return typeof id === 'string' ? links.item(base, target, [], id) : null;
      };
    case 'children':
      return (row, within, base) =>
        links.collection(base, target, [{ resource: resource.name, id: row.id }, ...within]);
    case 'inverse': {
      const filter = referrersFilter(target, field);
      return (row, _within, base) => links.collection(base, target, [], writeQuery([[filter, row.id]]));
    }
  }
}
