import type { Json, JsonObject } from '../../conventions/json/json.ts';
import { readObject } from '../../model/values/access.ts';

const PARAMETER = /^\{[^}]*\}$/;

/** Checks if a segment of a path is a parameter, such as `{id}`. */
export function isParameter(segment: string): boolean {
  return PARAMETER.test(segment);
}

/** The paths of a description, as segments: `/pets/` and `/pets` are the same collection. */
export class DescribedPaths {
  /** The paths as they are written, those with fewer segments first. */
  readonly all: readonly string[];
  readonly #items: JsonObject;
  readonly #segments: ReadonlyMap<string, readonly string[]>;
  readonly #bySegments = new Map<string, string>();
  readonly #itemPaths = new Map<string, string>();

  /** @param resolve the item that a reference leads to */
  constructor(items: JsonObject, resolve: (item: Json) => JsonObject | null) {
    this.#items = Object.fromEntries(Object.entries(items).map(([path, item]) => [path, resolve(item) ?? {}]));
    this.#segments = new Map(Object.keys(items).map((path) => [path, splitSegments(path)]));
    this.all = Object.keys(items).toSorted((one, other) => this.segments(one).length - this.segments(other).length);
    for (const path of this.all) {
      const segments = this.segments(path);
      const key = joinSegments(segments);
      if (!this.#bySegments.has(key)) this.#bySegments.set(key, path);
      const collection = joinSegments(segments.slice(0, -1));
      if (isParameter(segments.at(-1) ?? '') && !this.#itemPaths.has(collection)) {
        this.#itemPaths.set(collection, path);
      }
    }
  }

  segments(path: string): readonly string[] {
    return this.#segments.get(path) ?? splitSegments(path);
  }

  item(path: string): Readonly<Record<string, Json>> {
    return readObject(this.#items[path]);
  }

  /** The path with these segments, as it is written; parameters may have other names. */
  find(segments: readonly string[]): string | null {
    return this.#bySegments.get(joinSegments(segments)) ?? null;
  }

  /** The path of an item below a collection; null where there is none. */
  itemPath(path: string): string | null {
    return this.#itemPaths.get(joinSegments(this.segments(path))) ?? null;
  }
}

function splitSegments(path: string): readonly string[] {
  return path.split('/').filter((segment) => segment !== '');
}

/** The name of a parameter does not matter. */
function joinSegments(segments: readonly string[]): string {
  return segments.map((segment) => (isParameter(segment) ? '{}' : segment)).join('/');
}
