import { isJsonObject, type Json, type JsonObject } from '../../../conventions/json/json.ts';
import { type ReportProblem, suggestName } from '../../document/model-error.ts';
import { readObject } from '../../values/access.ts';
import type { Path } from '../../path.ts';

const REFERENCE = /^#\/(\$defs|definitions)\/([^/]+)$/;
/** Keywords that do not constrain values: they may be next to a `$ref` and override those of its target. */
const ANNOTATIONS = new Set(['title', 'description', 'default', 'examples', 'deprecated', '$comment']);
/** Maximum schemas of a resource with its references resolved: nested definitions can grow exponentially. */
const MAX_SCHEMAS = 5000;
/** Maximum schemas within each other, with references resolved: a definition that refers to the next adds a level. */
const MAX_DEPTH = 64;

/**
 * Replaces every local `$ref` of a schema by its target and removes the definitions. Names are looked up in `$defs` and
 * `definitions` of the schema, then of the document. Keywords next to a `$ref` are added to its target. Reports unknown
 * names, cycles, excessive nesting and keywords that are declared on both sides. An invalid reference resolves to any
 * string.
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
      for (const [name, definition] of Object.entries(readObject(holder[group]))) {
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
  #depth = 0;

  constructor(definitions: ReadonlyMap<string, Json>, report: ReportProblem) {
    this.#definitions = definitions;
    this.#report = report;
  }

  /** @param open the references that are being resolved, to detect cycles */
  resolve(schema: JsonObject, path: Path, open: readonly string[]): JsonObject {
    this.#schemas += 1;
    if (this.#schemas === MAX_SCHEMAS) {
      this.#problem(path, 'the schema is too large after resolving its $refs', 'reduce the use of nested definitions');
    }
    if (this.#schemas >= MAX_SCHEMAS) return { type: 'string' };
    if (this.#depth === MAX_DEPTH) {
      const cause = 'the schema is nested too deeply after resolving its $refs';
      return this.#problem(path, cause, `use at most ${MAX_DEPTH} levels`);
    }
    const { $ref: reference, ...siblings } = schema;
    this.#depth += 1;
    const resolved =
      typeof reference === 'string'
        ? this.#follow(reference, siblings, path, open)
        : this.#resolveParts(schema, path, open);
    this.#depth -= 1;
    return resolved;
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

  #follow(reference: string, siblings: JsonObject, path: Path, open: readonly string[]): JsonObject {
    const [, group = '', name = ''] = REFERENCE.exec(reference) ?? [];
    const target = this.#definitions.get(`${group}/${name}`);
    if (!isJsonObject(target)) return this.#unknown(reference, [...path, '$ref']);
    if (open.includes(reference)) {
      return this.#problem([...path, '$ref'], `${reference} contains itself`, 'nest a fixed number of levels instead');
    }
    const named = this.resolve(target, path, [...open, reference]);
    for (const keyword of Object.keys(siblings)) {
      if (keyword in named && !ANNOTATIONS.has(keyword)) {
        const fix = 'remove one of them';
        this.#report([...path, keyword], `${keyword} is declared here and in ${reference}`, fix);
      }
    }
    return { ...named, ...this.#resolveParts(siblings, path, open) };
  }

  #unknown(reference: string, path: Path): JsonObject {
    const known = [...this.#definitions.keys()].map((name) => `#/${name}`);
    const fix = suggestName(reference, known, 'use a definition of this document: #/$defs/name');
    return this.#problem(path, `there is no definition ${reference}`, fix);
  }

  #problem(path: Path, cause: string, fix: string): JsonObject {
    this.#report(path, cause, fix);
    return { type: 'string' };
  }
}
