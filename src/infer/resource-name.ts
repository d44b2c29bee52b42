import type { Json } from '../conventions/json/json.ts';
import { checkDescribedNames, compileNames, type ResourceNames } from '../model/compile/fields/names.ts';
import { operationNames, schemaNames } from '../model/type-names.ts';
import { snakeName } from './field-name.ts';

/** The name of a resource, and the settings that make it valid. */
export interface NamedResource extends ResourceNames {
  readonly name: string;
  readonly settings: Readonly<Record<string, Json>>;
}

/** Chooses the names of the resources of a model. */
export class ResourceNamer {
  readonly #names = new Set<string>();
  readonly #singulars = new Set<string>();
  readonly #codes = new Set<string>();
  /** The names of schemas and operations in descriptions. */
  readonly #described = new Set<string>();

  /** A valid name near the name in the data, which no other resource has. */
  name(source: string): NamedResource {
    const name = snakeName(source);
    for (const candidate of candidates(name)) {
      if (this.#names.has(candidate)) continue;
      const named = this.#named(candidate);
      if (named === null) continue;
      this.#names.add(candidate);
      this.#singulars.add(named.singular);
      this.#codes.add(named.code);
      for (const each of describedNames(named)) this.#described.add(each);
      return named;
    }
    throw new RangeError(`no valid name for a resource like ${name}`);
  }

  #named(name: string): NamedResource | null {
    const prefix = `${name.toUpperCase()}_ITEM`;
    const choices: readonly NamedResource['settings'][] = [
      {},
      { noun: true },
      { error_prefix: prefix },
      { noun: true, error_prefix: prefix },
      { singular: name },
      { singular: name, error_prefix: prefix },
      { noun: true, singular: name, error_prefix: prefix },
    ];
    for (const settings of choices) {
      const names = validNames(name, settings);
      if (names === null || this.#singulars.has(names.singular) || this.#codes.has(names.code)) continue;
      const named = { name, settings, ...names };
      if (this.#isDescribable(named)) return named;
    }
    return null;
  }

  /** True if its schemas and operations have names of their own in descriptions. */
  #isDescribable(named: NamedResource): boolean {
    let problems = 0;
    const report = (): void => {
      problems += 1;
    };
    checkDescribedNames([{ ...named, declared: {}, path: [], report }]);
    return problems === 0 && !describedNames(named).some((each) => this.#described.has(each));
  }
}

function describedNames(named: NamedResource): readonly string[] {
  return [...schemaNames(named), ...operationNames(named)];
}

function* candidates(name: string): Generator<string> {
  yield name;
  yield `${name}_items`;
  yield `data_${name}`;
  for (let number = 2; number < 1_000; number += 1) yield `${name}_${number}`;
}

/** The names that a resource gets; null where the model would reject them. */
function validNames(name: string, declared: NamedResource['settings']): ResourceNames | null {
  let problems = 0;
  const report = (): void => {
    problems += 1;
  };
  // The collections of the server are renamed where a resource has the name of one.
  const names = compileNames(name, { declared, path: [], report }, new Set());
  return problems === 0 ? names : null;
}
