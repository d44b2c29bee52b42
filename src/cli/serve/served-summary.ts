import { writeQuery } from '../../conventions/url/query.ts';
import type { Model, Resource } from '../../model/model.ts';
import { EVERYTHING } from '../../plan/plan.ts';
import { urlBuilder } from '../../plan/routes/url-builder.ts';
import type { RowReader } from '../../stores/store.ts';
import { versionedBase } from '../../contract/contract.ts';

/** The summary of a server for the person who started it. */
export interface ServedSummary {
  readonly name: string;
  readonly title: string;
  /** `1.0.0` */
  readonly version: string;
  /** Path of the database. */
  readonly database: string;
  /** True if the console is served. */
  readonly hasConsole: boolean;
  /** The first collections of the model with their numbers of rows. */
  readonly collections: readonly CollectionSummary[];
  /** The number of collections that are not among them. */
  readonly further: number;
  /** The URL of a collection that needs no id of a parent, with a query; null where the model has none. */
  readonly example: string | null;
}

interface CollectionSummary {
  readonly name: string;
  readonly rows: number;
}

/** A model can have a thousand collections, and the summary must fit on a screen. */
const MAX_COLLECTIONS = 12;

/**
 * Reads what a server serves.
 *
 * @param origin where clients on this machine reach it: `http://127.0.0.1:3000`
 */
export async function summarize(
  model: Model,
  rows: RowReader,
  { database, origin, hasConsole }: Pick<ServedSummary, 'database' | 'hasConsole'> & { readonly origin: string },
): Promise<ServedSummary> {
  const { name, title, version, resources } = model;
  const shown = [...resources.values()].slice(0, MAX_COLLECTIONS);
  const collections = await Promise.all(
    shown.map(async (resource) => ({ name: resource.name, rows: await countRows(resource, rows) })),
  );
  const counts = new Map(collections.map((each) => [each.name, each.rows]));
  const top = [...resources.values()].filter(({ parent }) => parent === null);
  const example = top.find((resource) => (counts.get(resource.name) ?? 0) > 0) ?? top[0];
  const query = writeQuery([['limit', '1']]);
  return {
    name,
    title,
    version: `${version.major}.${version.minor}.${version.patch}`,
    database,
    hasConsole,
    collections,
    further: resources.size - shown.length,
    example:
      example === undefined ? null : urlBuilder(model).collection(versionedBase(model, origin), example, [], query),
  };
}

/** The number of rows, which the store keeps for each resource (PAGE-9). */
async function countRows({ name }: Resource, rows: RowReader): Promise<number> {
  const { total } = await rows.list({
    kind: 'list',
    resource: name,
    within: [],
    visible: EVERYTHING,
    filter: [],
    order: [{ path: 'id', descending: false }],
    window: { kind: 'seek', after: null, backward: false, limit: 1 },
    count: { kind: 'exact' },
    effort: 'light',
  });
  return total?.count ?? 0;
}
