import { isJsonObject, type Json, type JsonObject } from '../../../conventions/json/json.ts';
import type { Resource, Shape, ValueType } from '../../model.ts';
import { readObject } from '../../values/access.ts';
import type { Path } from '../../path.ts';
import { valueCheck } from '../fields/keywords.ts';
import { type OlderPaths, listPaths, schemaAt } from './field-paths.ts';
import {
  valueKey,
  listedValues,
  olderValues,
  findOlderValues,
  parseValueKey,
  type ValuePairs,
} from './listed-values.ts';
import { type DeclaredChange, plainChange, reportSecond, reportUnknown, type VersionStep } from './version-step.ts';

/** Types whose values can be listed: of others, one value has several texts. */
const LISTED: ReadonlySet<ValueType['kind']> = new Set(['text', 'integer', 'number', 'boolean']);

/** The context of reading `values` of one resource. */
interface ValuesContext {
  readonly resource: Resource;
  readonly paths: OlderPaths;
  readonly step: VersionStep;
  /** The paths in the older version of fields whose values are read already. */
  readonly read: Set<string>;
}

/** Reads `values`, with `default_out`. @param entry one of the `changes` of a version */
export function readValues(entry: JsonObject, path: Path, context: ValuesContext): readonly DeclaredChange[] {
  const { resource, step } = context;
  const defaults = readObject(entry['default_out']);
  const declared = readObject(entry['values']);
  for (const field of Object.keys(defaults).filter((each) => !(each in declared))) {
    const cause = `${field} has the same values in ${step.older} and its successor ${step.successor}`;
    step.report([...path, 'default_out', field], cause, 'remove it, or declare values');
  }
  return Object.entries(declared).flatMap(([field, pairs]) => {
    const at = [...path, 'values', field];
    const target = findValuesTarget(field, at, context);
    if (target === null) return [];
    const out = { declared: defaults[field], at: [...path, 'default_out', field] };
    const read = new ValuesReader(field, target, step).read(readObject(pairs), at, out);
    return [plainChange({ kind: 'values', resource: resource.name, field, ...read }, at)];
  });
}

/** The field of the successor whose values differ: of an array, its items. */
interface ValuesTarget {
  readonly shape: Shape;
  readonly schema: JsonObject;
}

function findValuesTarget(
  field: string,
  at: Path,
  { resource, paths, step, read }: ValuesContext,
): ValuesTarget | null {
  const { older, successor, report } = step;
  const known = new Map([...listPaths(resource)].map(([newer, target]) => [paths.of(newer), { newer, target }]));
  const found = known.get(field);
  if (found === undefined || found.target.kind !== 'field') {
    const names = [...known.keys()].filter((each) => each !== null);
    reportUnknown(step, at, `field that ${older} calls ${field} in ${resource.name}`, { name: field, known: names });
    return null;
  }
  if (read.has(field)) reportSecond(step, at, `the values of ${field} of ${resource.name}`);
  read.add(field);
  const { type } = found.target;
  const schema = schemaAt(resource.schema, found.newer);
  const isArray = type.kind === 'array';
  const shape = isArray ? type.item : { type, nullable: true };
  if (LISTED.has(shape.type.kind)) return { shape, schema: isArray ? readObject(schema['items']) : schema };
  report(at, `the values of ${field} cannot be listed in ${older} and ${successor}`, 'use type, in TypeScript');
  return null;
}

/** Reads `default_out` of a field. */
interface DeclaredOut {
  readonly declared: Json | undefined;
  readonly at: Path;
}

/** Reads the pairs of values of one field. */
class ValuesReader {
  readonly #field: string;
  readonly #target: ValuesTarget;
  readonly #step: VersionStep;

  constructor(field: string, target: ValuesTarget, step: VersionStep) {
    this.#field = field;
    this.#target = target;
    this.#step = step;
  }

  read(pairs: JsonObject, at: Path, out: DeclaredOut): ValuePairs & { readonly isOneToOne: boolean } {
    const up = this.#readUp(pairs, at);
    const explicit = this.#readExplicit(out);
    const listed = listedValues(this.#target.schema);
    const newer = listed ?? [...new Set([...up.values()].map(valueKey))].map(parseValueKey);
    const down = new Map<string, Json>();
    const open: string[] = [];
    for (const value of newer) {
      const key = valueKey(value);
      const sources = findOlderValues(value, up);
      const shown = explicit.get(key) ?? (sources.length === 1 ? sources[0] : undefined);
      if (shown === undefined) open.push(key);
      else if (valueKey(shown) !== key) down.set(key, shown);
    }
    const isOneToOne = open.length === 0 && explicit.size === 0;
    if (isOneToOne) this.#checkNeeded(out);
    this.#close(open, down, at, out);
    if (listed !== null) this.#checkShown(new Set(olderValues(listed, { up, down }).map(valueKey)), out);
    return { up, down, isOneToOne };
  }

  #readUp(pairs: JsonObject, at: Path): ReadonlyMap<string, Json> {
    const { older, successor, report } = this.#step;
    const errorOf = valueCheck({ ...this.#target.shape, nullable: false }, this.#target.schema);
    return new Map(
      Object.entries(pairs).map(([text, value]) => {
        const error = errorOf(value);
        if (error !== null) {
          const cause = `what ${older} calls ${text} in ${this.#field} ${error} in its successor ${successor}`;
          report([...at, text], cause, `write a value of ${successor}`);
        }
        return [valueKey(this.#named(text, [...at, text])), value];
      }),
    );
  }

  /** The values of `default_out` by value of the successor, where it has them. */
  #readExplicit({ declared, at }: DeclaredOut): ReadonlyMap<string, Json> {
    if (!isJsonObject(declared)) return new Map();
    return new Map(
      Object.entries(declared).map(([text, value]) => [valueKey(this.#named(text, [...at, text])), value]),
    );
  }

  #checkNeeded({ declared, at }: DeclaredOut): void {
    const { older, successor, report } = this.#step;
    if (declared !== undefined)
      report(at, `each value of ${this.#field} in ${successor} has its own in ${older}`, 'remove it');
  }

  /**
   * Shows the one value of `default_out` for each value of the successor that has not exactly one in the older version.
   */
  #close(open: readonly string[], down: Map<string, Json>, at: Path, out: DeclaredOut): void {
    const { older, successor, report } = this.#step;
    const [first] = open;
    if (first === undefined) return;
    if (out.declared === undefined || isJsonObject(out.declared)) {
      const cause = `the values of ${this.#field} are not one-to-one: ${older} has no single value for ${first} of ${successor}`;
      report(at, cause, `declare what ${older} shows: default_out: { ${this.#field}: value }`);
      return;
    }
    for (const key of open) down.set(key, out.declared);
  }

  /** Reports values of `default_out` that the older version does not have. */
  #checkShown(known: ReadonlySet<string>, { declared, at }: DeclaredOut): void {
    const { older, successor, report } = this.#step;
    const shown = isJsonObject(declared)
      ? Object.entries(declared).map(([name, value]) => ({ value, path: [...at, name] }))
      : declared === undefined
        ? []
        : [{ value: declared, path: at }];
    for (const { value, path } of shown) {
      if (value === null || known.has(valueKey(value))) continue;
      const cause = `${valueKey(value)} is no value of ${this.#field} in ${older}, the version before ${successor}`;
      report(path, cause, `use one of ${[...known].join(', ')}`);
    }
  }

  /** The value that the name of a member stands for, because all names are strings in JSON. */
  #named(text: string, at: Path): Json {
    const { kind } = this.#target.shape.type;
    if (kind === 'text') return text;
    const isNumber = /^-?\d/.test(text) && Number.isFinite(Number(text));
    if (kind === 'boolean' ? text === 'true' || text === 'false' : isNumber)
      return kind === 'boolean' ? text === 'true' : Number(text);
    const { older, successor, report } = this.#step;
    report(at, `${text} is no ${kind}, as ${this.#field} is in ${older} and ${successor}`, 'use type, in TypeScript');
    return text;
  }
}
