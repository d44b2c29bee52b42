import type { JsonObject } from '../../../conventions/json/json.ts';
import { readString } from '../../values/access.ts';
import type { Path } from '../../path.ts';
import { toSingular } from '../fields/names.ts';
import { findCycle } from './check-fields.ts';
import { type DeclaredChange, plainChange, reportSecond, type VersionStep } from './version-step.ts';

/** The names of a resource in the older version. */
export interface OlderNames {
  /** In snake_case. */
  readonly collection: string;
  readonly singular: string;
}

/** Reads `collection` and `singular` of the changes of a version. */
export class NamesReader {
  readonly #step: VersionStep;
  readonly names = new Map<string, OlderNames>();
  readonly #paths = new Map<string, Path>();

  constructor(step: VersionStep) {
    this.#step = step;
  }

  /** A collection without a singular brings its own, as in a model. @param entry one of the `changes` */
  read(resource: string, entry: JsonObject, path: Path): readonly DeclaredChange[] {
    const collection = readString(entry['collection'])?.replaceAll('-', '_') ?? null;
    const singular = readString(entry['singular']);
    const newer = this.#step.resources.get(resource);
    if (newer === undefined || (collection === null && singular === null)) return [];
    const at = [...path, collection === null ? 'singular' : 'collection'];
    if (this.names.has(resource)) reportSecond(this.#step, at, `the names of ${resource}`);
    this.names.set(resource, {
      collection: collection ?? newer.collection.replaceAll('-', '_'),
      singular: singular ?? (collection === null ? newer.singular : toSingular(collection)),
    });
    this.#paths.set(resource, at);
    return [plainChange({ kind: 'names', resource }, at)];
  }

  /** Reports collections that another resource has, and names that go round. */
  check(absent: ReadonlySet<string>): void {
    const { older, successor, resources, report } = this.#step;
    const owners = new Map<string, string>();
    for (const { name, collection } of resources.values()) {
      if (!this.names.has(name) && !absent.has(name)) owners.set(collection.replaceAll('-', '_'), name);
    }
    for (const [name, { collection }] of this.names) {
      const at = this.#paths.get(name) ?? [];
      const owner = owners.get(collection);
      if (owner !== undefined) {
        const cause = `in ${older}, as in its successor ${successor}, ${collection} is the collection of ${owner}`;
        report(at, cause, 'choose another name');
      }
      owners.set(collection, name);
    }
    const pairs = [...this.names].map(([name, { collection }]) => ({
      from: collection,
      to: resources.get(name)?.collection.replaceAll('-', '_') ?? name,
      at: this.#paths.get(name) ?? [],
    }));
    const cycle = findCycle(pairs.filter(({ from, to }) => from !== to));
    if (cycle === null) return;
    const names = [...cycle.map(({ from }) => from), cycle[0]?.from ?? ''].join(' → ');
    const cause = `the collections ${names} form a cycle between ${older} and ${successor}`;
    report(cycle[0]?.at ?? [], cause, 'give one of them a name that neither version has');
  }
}
