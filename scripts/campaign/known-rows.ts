import type { Json, JsonObject } from './client.ts';
import { isObject, member, toText } from './client.ts';
import type { Random } from './random.ts';
import { type Resource, resources } from './resources.ts';

/** A row that exists, as the last response showed it. */
export interface KnownRow {
  readonly resource: Resource;
  /** `/books/1/reviews/2`. */
  readonly path: string;
  readonly id: string;
  /** The JSON representation below `/api/v1`. */
  readonly representation: JsonObject;
  /** The ETag of that representation; null after a PUT, whose response has none. */
  readonly etag: string | null;
}

/** The rows that exist by the responses so far. */
export class KnownRows {
  readonly #rows = new Map<string, KnownRow>();

  get size(): number {
    return this.#rows.size;
  }

  get(path: string): KnownRow | undefined {
    return this.#rows.get(path);
  }

  /** Adds or replaces a row. */
  set(resource: Resource, representation: JsonObject, etag: string | null): KnownRow {
    const path = rowPath(representation);
    const row = { resource, path, id: toText(representation['id']), representation, etag };
    this.#rows.set(path, row);
    return row;
  }

  /** Removes a row with all rows below it. @returns the rows of other resources that referred to it */
  delete(path: string): readonly KnownRow[] {
    const gone = [...this.#rows.values()].filter((row) => row.path === path || row.path.startsWith(`${path}/`));
    for (const row of gone) this.#rows.delete(row.path);
    const ids = new Set(gone.map(({ id }) => id));
    return [...this.#rows.values()].filter((row) => ids.has(toText(member(row.representation, 'author_id'))));
  }

  /** The rows of one collection, `/books` or `/books/1/reviews`. */
  in(collection: string): readonly KnownRow[] {
    return [...this.#rows.values()].filter(({ path }) => rowCollection(path) === collection);
  }

  of(resource: Resource): readonly KnownRow[] {
    return [...this.#rows.values()].filter((row) => row.resource === resource);
  }

  any(random: Random): KnownRow | null {
    const rows = this.of(random.pick(resources));
    return rows.length === 0 ? null : random.pick(rows);
  }

  /** A collection whose parents exist. */
  anyCollection(random: Random, resource: Resource = random.pick(resources)): Collection | null {
    if (resource.parent === null) return { resource, path: `/${resource.name}` };
    const parents = this.of(resource.parent);
    return parents.length === 0 ? null : { resource, path: `${random.pick(parents).path}/${resource.name}` };
  }
}

export interface Collection {
  readonly resource: Resource;
  readonly path: string;
}

/** The path below the version of a representation, by its link. */
export function rowPath(representation: Json): string {
  const links = member(representation, 'links');
  return toText(isObject(links) ? links['self'] : '').replace('/api/v1', '');
}

export function rowCollection(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}
