import { closestMatch } from '../../conventions/text/closest-match.ts';
import { formatPath, type Path } from '../path.ts';

/** An error in a model document. Line and column count from 1; both are 0 for a TypeScript model. */
export interface ModelProblem {
  /** File name of the document, as the caller passed it. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** Path in the document: `resources.products.sortable[0]`; '' for the root. */
  readonly path: string;
  readonly cause: string;
  readonly fix: string;
}

/** Reports a problem at a path of the document. The caller continues, so that one run finds all problems. */
export type ReportProblem = (path: Path, cause: string, fix: string) => void;

/**
 * An invalid model, with all of its problems in document order.
 *
 * @example
 * ```ts
 * if (error instanceof ModelError) for (const { path, cause, fix } of error.problems) console.error(path, cause, fix);
 * ```
 */
export class ModelError extends Error {
  override readonly name = 'ModelError';
  readonly problems: readonly ModelProblem[];

  constructor(problems: readonly ModelProblem[]) {
    super(problems.map(formatProblem).join('\n'));
    this.problems = problems;
  }
}

/**
 * Formats a problem as one line: `shop.yaml:12:7: resources.products: cause; fix`. TypeScript models have no line
 * numbers.
 */
export function formatProblem({ file, line, column, path, cause, fix }: ModelProblem): string {
  return `${file}:${line === 0 ? '' : `${line}:${column}:`} ${path === '' ? '' : `${path}: `}${cause}; ${fix}`;
}

/** Line and column in a document. */
export interface SourcePosition {
  readonly line: number;
  readonly column: number;
}

/** Collects the problems of one document, each path and cause once. */
export class ProblemList {
  readonly #file: string;
  readonly #locate: (path: Path) => SourcePosition;
  readonly #problems = new Map<string, ModelProblem>();

  /** @param found problems that are already known */
  constructor(file: string, locate: (path: Path) => SourcePosition, found: readonly ModelProblem[] = []) {
    this.#file = file;
    this.#locate = locate;
    for (const problem of found) this.#problems.set(`${problem.path}\n${problem.cause}`, problem);
  }

  readonly report: ReportProblem = (path, cause, fix) => {
    const where = formatPath(path);
    this.#problems.set(`${where}\n${cause}`, { file: this.#file, ...this.#locate(path), path: where, cause, fix });
  };

  /** Returns a function that reports problems only at paths without earlier problems, which may be their cause. */
  reportAtNewPaths(): ReportProblem {
    const earlier = new Set([...this.#problems.values()].map(({ path }) => path));
    return (path, cause, fix) => {
      if (!earlier.has(formatPath(path))) this.report(path, cause, fix);
    };
  }

  /** The problems in document order. */
  sorted(): readonly ModelProblem[] {
    return [...this.#problems.values()].sort((a, b) => a.line - b.line || a.column - b.column);
  }
}

/**
 * The fix for an unknown name: the most similar known name.
 *
 * @param otherwise the fix where no known name is similar; default: all of them
 */
export function suggestName(name: string, known: Iterable<string>, otherwise?: string): string {
  const names = [...known];
  const meant = closestMatch(name, names);
  return meant === null ? (otherwise ?? listNames(names)) : `write ${meant}`;
}

function listNames(known: readonly string[]): string {
  return known.length === 0 ? 'remove it' : `use one of ${known.join(', ')}`;
}

/** Reports a member that is not allowed at its path. */
export function reportUnknownMember(report: ReportProblem, path: Path, fix: string): void {
  report(path, `unknown key ${String(path.at(-1))}`, fix);
}

/** Reports the name of a resource that the model does not declare. */
export function reportUnknownResource(
  report: ReportProblem,
  path: Path,
  name: string,
  resources: Iterable<string>,
): void {
  report(
    path,
    `there is no resource ${name}`,
    suggestName(name, resources, 'use the name of a resource of this model'),
  );
}
