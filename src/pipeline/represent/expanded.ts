import type { Json, JsonObject } from '../../conventions/json.ts';
import type { Projection } from '../../plan/projection.ts';
import type { Negotiated } from '../negotiate.ts';
import type { ExpandedRelation, ExpandedRow } from '../read/expand.ts';
import { linkTargets, pageMetadata, unlinkedMetadata } from './page-metadata.ts';

/** A row with its related rows in place (QRY-4). */
export function representExpanded(
  request: Negotiated,
  expanded: ExpandedRow,
  projection: Projection | null,
): JsonObject {
  return represent(request, expanded, projection, new Map());
}

/** Represents rows of one page with their related rows in place, each of which is represented once. */
export function expandedWriter(
  request: Negotiated,
  projection: Projection | null,
): (expanded: ExpandedRow) => JsonObject {
  const done = new Map<ExpandedRow, JsonObject>();
  return (expanded) => represent(request, expanded, projection, done);
}

/** @param done related rows that are represented already: several rows may refer to one */
function represent(
  request: Negotiated,
  { row, within, compiled, relations }: ExpandedRow,
  projection: Projection | null,
  done: Map<ExpandedRow, JsonObject>,
): JsonObject {
  const members: Record<string, Json> = {};
  for (const relation of relations) members[relation.name] = relationValue(request, relation, done);
  return compiled.representStored(row, within, request.base, { projection, related: members });
}

function relationValue(request: Negotiated, relation: ExpandedRelation, done: Map<ExpandedRow, JsonObject>): Json {
  if (relation.kind === 'one') return relation.row === null ? null : related(request, relation.row, done);
  const { compiled, query, linked, rows, more } = relation;
  const page = { rows: rows.map(({ row }) => row), more, total: null };
  const { metadata, links } = linked ? pageMetadata(request, compiled, query, page) : unlinkedMetadata(query, page);
  return { data: rows.map((row) => related(request, row, done)), page: metadata, links: linkTargets(links) };
}

function related(request: Negotiated, row: ExpandedRow, done: Map<ExpandedRow, JsonObject>): JsonObject {
  const known = done.get(row);
  if (known !== undefined) return known;
  const json = represent(request, row, null, done);
  done.set(row, json);
  return json;
}
