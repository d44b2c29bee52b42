import type { Json, JsonObject } from '../conventions/json/json.ts';
import { DividedArray, DividedObject, type Divisible } from '../formats/divided.ts';
import type { Projection } from '../plan/list/projection.ts';
import type { ExpandedRelation, ExpandedRow } from '../operations/read/expand.ts';
import type { DivisibleItem } from './encode.ts';
import { linkTargets, pageMetadata, unlinkedMetadata } from './page-metadata.ts';
import type { Reply } from './reply.ts';

/**
 * Characters of related rows as JSON up to which they are represented in one piece: it takes a few milliseconds in any
 * format.
 */
const ONE_PIECE = 262_144;

/** Expanded rows of one response that are being represented. */
interface Writing {
  readonly reply: Reply;
  /** The related rows that are already represented, each once: several rows may refer to one. */
  readonly done: Map<ExpandedRow, JsonObject>;
}

/** Represents rows with their related rows in place (QRY-4). A row whose related rows are large is divided. */
export function expandedWriter(reply: Reply, projection: Projection | null): (expanded: ExpandedRow) => DivisibleItem {
  const writing = { reply, done: new Map<ExpandedRow, JsonObject>() };
  return (expanded) => divisible(writing, expanded, projection);
}

function divisible(writing: Writing, expanded: ExpandedRow, projection: Projection | null): DivisibleItem {
  if (expanded.size.length <= ONE_PIECE) return represent(writing, expanded, projection);
  return new DividedObject(() => dividedMembers(writing, expanded, projection));
}

function* dividedMembers(
  writing: Writing,
  { row, within, compiled, relations }: ExpandedRow,
  projection: Projection | null,
): Generator<readonly [string, Divisible]> {
  const { links = {}, ...own } = compiled.representStored(row, within, writing.reply.base, { projection });
  yield* Object.entries(own);
  for (const relation of relations) yield [relation.name, divisibleRelation(writing, relation)];
  yield ['links', links];
}

function divisibleRelation(writing: Writing, relation: ExpandedRelation): Divisible {
  if (relation.size.length <= ONE_PIECE) return relationValue(writing, relation);
  if (relation.kind === 'one') return relation.row === null ? null : divisibleRelated(writing, relation.row);
  const { page, links } = describeRelated(writing, relation);
  const items = () => relation.rows.values().map((row) => divisibleRelated(writing, row));
  return new DividedObject(() => Object.entries({ data: new DividedArray(items), page, links }));
}

function divisibleRelated(writing: Writing, row: ExpandedRow): DivisibleItem {
  return row.size.length <= ONE_PIECE ? related(writing, row) : divisible(writing, row, null);
}

function represent(
  writing: Writing,
  { row, within, compiled, relations }: ExpandedRow,
  projection: Projection | null,
): JsonObject {
  const members: Record<string, Json> = {};
  for (const relation of relations) members[relation.name] = relationValue(writing, relation);
  return compiled.representStored(row, within, writing.reply.base, { projection, related: members });
}

function relationValue(writing: Writing, relation: ExpandedRelation): Json {
  if (relation.kind === 'one') return relation.row === null ? null : related(writing, relation.row);
  return { data: relation.rows.map((row) => related(writing, row)), ...describeRelated(writing, relation) };
}

/** Writes the metadata and links of the related rows of a row, as of any page. */
function describeRelated(
  { reply }: Writing,
  { compiled, query, linked, rows: expanded, more }: Extract<ExpandedRelation, { kind: 'many' }>,
): { readonly page: JsonObject; readonly links: JsonObject } {
  const page = { rows: expanded.map(({ row }) => row), more, total: null };
  const { metadata, links } = linked ? pageMetadata(reply, compiled, query, page) : unlinkedMetadata(query, page);
  return { page: metadata, links: linkTargets(links) };
}

function related(writing: Writing, row: ExpandedRow): JsonObject {
  const known = writing.done.get(row);
  if (known !== undefined) return known;
  const json = represent(writing, row, null);
  writing.done.set(row, json);
  return json;
}
