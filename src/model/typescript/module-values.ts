import type { Json } from '../../conventions/json.ts';
import type { ReportProblem } from '../document/model-error.ts';
import type { Path } from '../values/path.ts';

/** Most levels of nesting, and most values in one part of a model. */
const MAX_DEPTH = 64;
const MAX_VALUES = 100_000;

/**
 * What a module hands over as data, as JSON. A member that is undefined is left out; what JSON cannot say is announced where it stands, and
 * null in its place: a function is code, which stands under names of its own.
 *
 * @param path where the value stands in the model
 */
export function plainData(value: unknown, path: Path, report: ReportProblem): Json {
  return new DataReader(report).read(value, path);
}

class DataReader {
  readonly #report: ReportProblem;
  /** What is being read, outermost first. */
  readonly #open = new Set<object>();
  #values = 0;

  constructor(report: ReportProblem) {
    this.#report = report;
  }

  read(value: unknown, path: Path): Json {
    this.#values += 1;
    if (this.#values === MAX_VALUES)
      this.#report(path, 'the document holds too many values', 'declare less in one model');
    if (this.#values >= MAX_VALUES) return null;
    if (path.length > MAX_DEPTH) return this.#problem(path, 'the document is nested too deep', 'nest less');
    if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
    if (typeof value === 'number' && Number.isFinite(value)) return value;
    if (Array.isArray(value)) return this.#within(value, path, () => this.#readItems(value, path));
    if (isRecord(value)) return this.#within(value, path, () => this.#readMembers(value, path));
    return this.#problem(path, `there is ${kindOf(value)}, which is no data`, 'write what JSON can say');
  }

  #within(holder: object, path: Path, read: () => Json): Json {
    if (this.#open.has(holder)) return this.#problem(path, 'the value holds itself', 'write each value once');
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
      return this.#problem(path, 'a part of the schema is of a library', 'write the whole schema with the library');
    }
    const given = Object.entries(value).filter(([, held]) => held !== undefined);
    return Object.fromEntries(given.map(([name, held]) => [name, this.read(held, [...path, name])]));
  }

  #problem(path: Path, cause: string, fix: string): null {
    this.#report(path, cause, fix);
    return null;
  }
}

/** Whether a value is an object with members of its own, and nothing special such as a date, a map or a list. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return Object.prototype.toString.call(value) === '[object Object]';
}

function kindOf(value: unknown): string {
  if (typeof value === 'function') return 'a function';
  if (typeof value === 'number') return 'a number beyond all bounds';
  if (typeof value !== 'object') return `a value of the type ${typeof value}`;
  return `an object of the kind ${Object.prototype.toString.call(value).slice('[object '.length, -1)}`;
}
