import type { ReportProblem } from '../document/model-error.ts';
import type { Path } from '../values/path.ts';
import { isRecord } from './module-values.ts';
import { suggestName, reportUnknownMember } from '../document/unknown-name.ts';

/** A function that somebody wrote. What it returns is its type's to say, where it has one: a model in JavaScript is on its own. */
export type Callable = (...given: readonly unknown[]) => never;

type Members = readonly (readonly [name: string, value: unknown])[];

/** Reads what a module has in the places of code, of which nothing is known yet: whatever is none is announced. */
export class CodeReader {
  readonly #report: ReportProblem;

  constructor(report: ReportProblem) {
    this.#report = report;
  }

  /** The members of an object that are set. */
  members(value: unknown, path: Path): Members {
    if (value === undefined) return [];
    if (isRecord(value)) return Object.entries(value).filter(([, held]) => held !== undefined);
    this.#report(path, `${String(path.at(-1))} is no object`, 'write an object');
    return [];
  }

  /** Those of the names that an object may have; others are announced. */
  known(value: unknown, path: Path, names: readonly string[]): Members {
    return this.members(value, path).filter(([name]) => {
      if (!names.includes(name)) reportUnknownMember(this.#report, [...path, name], suggestName(name, names));
      return names.includes(name);
    });
  }

  /** The functions of an object by name. @param names those that it may have */
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
    this.#report(path, `${String(path.at(-1))} is no function`, 'write a function');
    return null;
  }
}

function isCallable(value: unknown): value is Callable {
  return typeof value === 'function';
}
