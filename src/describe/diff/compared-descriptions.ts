import type { JsonObject } from '../../conventions/json/json.ts';
import type { Pair } from '../../model/diff/comparers.ts';
import type { ApiDescription, Resolved } from './api-description.ts';
import { SchemaComparison } from './compare-schemas.ts';

/** A media type of one version of an API: `application/vnd.shop.v1.4+json`. */
const VENDOR_TYPE = /^application\/vnd\.([a-z0-9_-]+)\.v([0-9.]+)\+([a-z]+)$/;

const VERSION_PARTS = ['major', 'minor', 'patch'];

/** Two descriptions while they are compared. What several operations refer to is compared once. */
export class ComparedDescriptions {
  readonly descriptions: Pair<ApiDescription>;
  readonly schemas: SchemaComparison;
  readonly #known = new Map<JsonObject, Set<JsonObject>>();
  /** The names of the APIs in their media types. */
  readonly #names: Pair<Set<string>> = [new Set(), new Set()];

  constructor(descriptions: Pair<ApiDescription>) {
    this.descriptions = descriptions;
    this.schemas = new SchemaComparison(descriptions);
  }

  /** Marks a pair of components as compared. Returns true if it was already. */
  isKnown([was, is]: Pair<Resolved>): boolean {
    const compared = this.#known.get(was.value) ?? new Set();
    this.#known.set(was.value, compared);
    const isKnown = compared.has(is.value);
    compared.add(is.value);
    return isKnown;
  }

  /**
   * A media type in lower case. Those with the name and the version of the API are the same for all names and versions,
   * which are compared elsewhere.
   */
  mediaType(type: string, side: 0 | 1): string {
    const written = type.toLowerCase().replaceAll(/\s/g, '');
    const [, name, version = '', suffix = ''] = VENDOR_TYPE.exec(written) ?? [];
    const { major, minor, patch } = this.descriptions[side].version;
    const parts = [`${major}`, `${major}.${minor}`, `${major}.${minor}.${patch}`].indexOf(version);
    if (name === undefined || parts < 0) return written;
    this.#names[side].add(name);
    return this.#names[side].size === 1 ? `application/vnd.{name}.v{${VERSION_PARTS[parts]}}+${suffix}` : written;
  }

  /** The name of each API in its media types; null where it has none. */
  get names(): Pair<string | null> {
    const [was, is] = this.#names;
    return [[...was][0] ?? null, [...is][0] ?? null];
  }
}
