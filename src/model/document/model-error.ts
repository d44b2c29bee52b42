import { formatPath, type Path } from '../values/path.ts';

/** One thing that is wrong with a model. Lines and columns count from 1; both are 0 where it is a module, which has none. */
export interface ModelProblem {
  /** The document, as whoever loads it names it. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** Where in the document: `resources.products.sortable[0]`; '' for the whole of it. */
  readonly path: string;
  readonly cause: string;
  /** What to write instead. */
  readonly fix: string;
}

/** Announces a fault at a path of the document; the caller goes on, so that all faults are found in one run. */
export type ReportProblem = (path: Path, cause: string, fix: string) => void;

/** A model that cannot be served, with every fault of its document in the order of the lines. */
export class ModelError extends Error {
  override readonly name = 'ModelError';
  readonly problems: readonly ModelProblem[];

  constructor(problems: readonly ModelProblem[]) {
    super(problems.map(formatProblem).join('\n'));
    this.problems = problems;
  }
}

/** A fault on one line: `shop.yaml:12:7: resources.products: cause; fix`. One in a module has no line. */
export function formatProblem({ file, line, column, path, cause, fix }: ModelProblem): string {
  return `${file}:${line === 0 ? '' : `${line}:${column}:`} ${path === '' ? '' : `${path}: `}${cause}; ${fix}`;
}

/** The position of a fault in its document. */
export interface SourcePosition {
  readonly line: number;
  readonly column: number;
}

/** Collects the faults of one document. A fault that was told before is not told again. */
export class ProblemList {
  readonly #file: string;
  readonly #locate: (path: Path) => SourcePosition;
  readonly #problems = new Map<string, ModelProblem>();

  /** @param found faults that are known already */
  constructor(file: string, locate: (path: Path) => SourcePosition, found: readonly ModelProblem[] = []) {
    this.#file = file;
    this.#locate = locate;
    for (const fault of found) this.#problems.set(`${fault.path}\n${fault.cause}`, fault);
  }

  readonly report: ReportProblem = (path, cause, fix) => {
    const where = formatPath(path);
    this.#problems.set(`${where}\n${cause}`, { file: this.#file, ...this.#locate(path), path: where, cause, fix });
  };

  /** Announces faults at paths that have none so far: what follows from a fault is no fault of its own. */
  reportAtNewPaths(): ReportProblem {
    const told = new Set([...this.#problems.values()].map(({ path }) => path));
    return (path, cause, fix) => {
      if (!told.has(formatPath(path))) this.report(path, cause, fix);
    };
  }

  /** The faults in the order of the document. */
  sorted(): readonly ModelProblem[] {
    return [...this.#problems.values()].sort((a, b) => a.line - b.line || a.column - b.column);
  }
}
