import { writeOrderedJson } from '../../../formats/json.ts';

/** The names that fields of stored events have by now: those of a field that was renamed (`x-was`) since. */
export class RenamedFields {
  readonly #steps: readonly ReadonlyMap<string, string>[];

  /** @param renamed earlier and later names, of one migration after the other */
  constructor(renamed: readonly Readonly<Record<string, string>>[]) {
    this.#steps = renamed.map((names) => new Map(Object.entries(names)));
  }

  /** Names of fields, or paths that begin with one. */
  names(fields: readonly string[]): readonly string[] {
    return this.#steps.length === 0 ? fields : fields.map((each) => this.#nameOf(each));
  }

  /** The members of an object, in their order, under the later names. */
  members<T>(object: Readonly<Record<string, T>> | null): Readonly<Record<string, T>> | null {
    if (object === null || this.#steps.length === 0) return object;
    return Object.fromEntries(Object.entries(object).map(([name, value]) => [this.#nameOf(name), value]));
  }

  /** JSON of an object, with its members under the later names. */
  json(text: string): string {
    return this.#steps.length === 0 ? text : writeOrderedJson(this.members(JSON.parse(text)));
  }

  #nameOf(path: string): string {
    const name = path.replace(/[.[].*$/s, '');
    return this.#steps.reduce((each, names) => names.get(each) ?? each, name) + path.slice(name.length);
  }
}
