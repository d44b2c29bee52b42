import { isJsonObject, type Json, type JsonObject } from '../../conventions/json.ts';
import { objectOf } from '../values/access.ts';
import type { ReportProblem } from '../document/model-error.ts';
import type { Path } from '../values/path.ts';
import { suggestName } from '../document/unknown-name.ts';

const REFERENCE = /^#\/(\$defs|definitions)\/([^/]+)$/;
/** Keywords that say nothing about values: a `$ref` may be given others beside it. */
const ANNOTATIONS = new Set(['title', 'description', 'default', 'examples', 'deprecated', '$comment']);
/** Most schemas that one resource may come to, its references resolved: definitions can double each other. */
const MAX_SCHEMAS = 5000;

/**
 * A resource's schema with every local `$ref` replaced by what it names, and without definitions. A name is looked up in the
 * schema's own `$defs` and `definitions`, then in the document's. What stands beside a `$ref` is added to what it names.
 * Unknown names, cycles and keywords declared on both sides are announced; such a reference resolves to any text.
 */
export function resolveReferences(
  schema: JsonObject,
  document: JsonObject,
  path: Path,
  report: ReportProblem,
): JsonObject {
  const definitions = new Map<string, Json>();
  for (const holder of [document, schema]) {
    for (const group of ['definitions', '$defs']) {
      for (const [name, definition] of Object.entries(objectOf(holder[group]))) {
        definitions.set(`${group}/${name}`, definition);
      }
    }
  }
  const { $defs: _defs, definitions: _definitions, ...own } = schema;
  return new Resolver(definitions, report).resolve(own, path, []);
}

class Resolver {
  readonly #definitions: ReadonlyMap<string, Json>;
  readonly #report: ReportProblem;
  #schemas = 0;

  constructor(definitions: ReadonlyMap<string, Json>, report: ReportProblem) {
    this.#definitions = definitions;
    this.#report = report;
  }

  /** @param open the references that this schema was reached through */
  resolve(schema: JsonObject, path: Path, open: readonly string[]): JsonObject {
    this.#schemas += 1;
    if (this.#schemas === MAX_SCHEMAS) {
      this.#problem(path, 'the schema is too large once its $refs are resolved', 'declare less');
    }
    if (this.#schemas >= MAX_SCHEMAS) return { type: 'string' };
    const { $ref: reference, ...beside } = schema;
    if (typeof reference === 'string') return this.#follow(reference, beside, path, open);
    return this.#resolveParts(schema, path, open);
  }

  #resolveParts(schema: JsonObject, path: Path, open: readonly string[]): JsonObject {
    const resolved: Record<string, Json> = { ...schema };
    for (const keyword of ['items', 'additionalProperties']) {
      const held = schema[keyword];
      if (isJsonObject(held)) resolved[keyword] = this.resolve(held, [...path, keyword], open);
    }
    const { properties } = schema;
    if (isJsonObject(properties)) resolved['properties'] = this.#resolveEach(properties, [...path, 'properties'], open);
    return resolved;
  }

  #resolveEach(properties: JsonObject, path: Path, open: readonly string[]): JsonObject {
    return Object.fromEntries(
      Object.entries(properties).map(([name, held]) => [
        name,
        isJsonObject(held) ? this.resolve(held, [...path, name], open) : held,
      ]),
    );
  }

  #follow(reference: string, beside: JsonObject, path: Path, open: readonly string[]): JsonObject {
    const [, group = '', name = ''] = REFERENCE.exec(reference) ?? [];
    const target = this.#definitions.get(`${group}/${name}`);
    if (!isJsonObject(target)) return this.#unknown(reference, [...path, '$ref']);
    if (open.includes(reference)) {
      return this.#problem([...path, '$ref'], `${reference} contains itself`, 'nest a fixed number of levels');
    }
    const named = this.resolve(target, path, [...open, reference]);
    for (const keyword of Object.keys(beside)) {
      if (keyword in named && !ANNOTATIONS.has(keyword)) {
        const fix = 'say it in one place';
        this.#report([...path, keyword], `${keyword} is declared here and in ${reference}`, fix);
      }
    }
    return { ...named, ...this.#resolveParts(beside, path, open) };
  }

  #unknown(reference: string, path: Path): JsonObject {
    const known = [...this.#definitions.keys()].map((name) => `#/${name}`);
    const fix = suggestName(reference, known, 'name a definition of this document: #/$defs/name');
    return this.#problem(path, `there is no ${reference}`, fix);
  }

  #problem(path: Path, cause: string, fix: string): JsonObject {
    this.#report(path, cause, fix);
    return { type: 'string' };
  }
}
