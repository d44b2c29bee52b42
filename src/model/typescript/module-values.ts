import type { Json } from '../../conventions/json/json.ts';
import { type ReportProblem, reportUnknownMember, suggestName } from '../document/model-error.ts';
import type { Path } from '../path.ts';

/** Maximum levels of nesting and number of values in one part of a model. */
const MAX_DEPTH = 64;
const MAX_VALUES = 100_000;

/**
 * Converts data of a module to JSON. Undefined members are omitted. Values that JSON cannot represent, such as
 * functions, are reported and become null.
 *
 * @param path of the value in the model
 */
export function plainData(value: unknown, path: Path, report: ReportProblem): Json {
  return new DataReader(report).read(value, path);
}

class DataReader {
  readonly #report: ReportProblem;
  /** The objects and arrays that contain the current value. */
  readonly #open = new Set<object>();
  #values = 0;

  constructor(report: ReportProblem) {
    this.#report = report;
  }

  read(value: unknown, path: Path): Json {
    this.#values += 1;
    if (this.#values === MAX_VALUES)
      this.#report(path, 'the model has too many values', 'split it into several models');
    if (this.#values >= MAX_VALUES) return null;
    if (path.length > MAX_DEPTH) {
      return this.#problem(path, 'the model is nested too deeply', `use at most ${MAX_DEPTH} levels`);
    }
    if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
    if (typeof value === 'number' && Number.isFinite(value)) return value;
    if (Array.isArray(value)) return this.#within(value, path, () => this.#readItems(value, path));
    if (isRecord(value)) return this.#within(value, path, () => this.#readMembers(value, path));
    return this.#problem(path, `${describeUnsupported(value)} is not valid in JSON`, 'write a JSON value');
  }

  #within(holder: object, path: Path, read: () => Json): Json {
    if (this.#open.has(holder)) return this.#problem(path, 'the value contains itself', 'remove the cycle');
    this.#open.add(holder);
    const plain = read();
    this.#open.delete(holder);
    return plain;
  }

  #readItems(items: readonly unknown[], path: Path): Json {
    return items.map((item, index) => this.read(item, [...path, index]));
  }

  #readMembers(value: object, path: Path): Json {
    if ('~standard' in value) {
      const cause = 'a schema of a library is inside a JSON Schema';
      return this.#problem(path, cause, 'write the whole schema with the library');
    }
    if ('~refine' in value || '~codec' in value) {
      const cause = 'a Refine or Codec of TypeBox is code, which a JSON Schema does not run';
      return this.#problem(path, cause, 'use a check or a before hook');
    }
    const members = Object.entries(value).filter(([, held]) => held !== undefined);
    return Object.fromEntries(members.map(([name, held]) => [name, this.read(held, [...path, name])]));
  }

  #problem(path: Path, cause: string, fix: string): null {
    this.#report(path, cause, fix);
    return null;
  }
}

/** True for a plain object: not an array, a Date, a Map or another built-in object. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return Object.prototype.toString.call(value) === '[object Object]';
}

function describeUnsupported(value: unknown): string {
  if (typeof value === 'function') return 'a function';
  if (typeof value === 'number') return 'a number that is not finite';
  if (typeof value !== 'object') return `a value of type ${typeof value}`;
  return `an object of type ${Object.prototype.toString.call(value).slice('[object '.length, -1)}`;
}

/** A function of a model. Its result is not checked here: a model in JavaScript has no types. */
export type Callable = (...parameters: readonly unknown[]) => never;

type Members = readonly (readonly [name: string, value: unknown])[];

/** Reads the functions of a module, whose types are unknown, and reports values that are not functions. */
export class CodeReader {
  readonly #report: ReportProblem;

  constructor(report: ReportProblem) {
    this.#report = report;
  }

  /** The members of an object that are not undefined. */
  members(value: unknown, path: Path): Members {
    if (value === undefined) return [];
    if (isRecord(value)) return Object.entries(value).filter(([, held]) => held !== undefined);
    this.#report(path, `${String(path.at(-1))} is not an object`, 'write an object');
    return [];
  }

  /** The members with the given names. Other members are reported. */
  known(value: unknown, path: Path, names: readonly string[]): Members {
    return this.members(value, path).filter(([name]) => {
      if (!names.includes(name)) reportUnknownMember(this.#report, [...path, name], suggestName(name, names));
      return names.includes(name);
    });
  }

  /** The functions of an object, by name. @param names the allowed names */
  functions(value: unknown, path: Path, names: readonly string[]): ReadonlyMap<string, Callable> {
    const found = new Map<string, Callable>();
    for (const [name, held] of this.known(value, path, names)) {
      const callable = this.callable(held, [...path, name]);
      if (callable !== null) found.set(name, callable);
    }
    return found;
  }

  callable(value: unknown, path: Path): Callable | null {
    if (isCallable(value)) return value;
    this.#report(path, `${String(path.at(-1))} is not a function`, 'write a function');
    return null;
  }
}

/** True if a value of a module is a function. */
export function isCallable(value: unknown): value is Callable {
  return typeof value === 'function';
}
