// The second chance of slow test files in CI: a file that fails beside others, and passes alone, is reported as flaky.

/** A test file that failed. */
export interface FailedFile {
  /** Its absolute path. */
  readonly file: string;
  /** Titles and errors of its failed tests. */
  readonly errors: readonly string[];
}

/** The verdict on the failed files of a run. */
export interface Verdict {
  /** Files that fail the run, with the errors of their last run. */
  readonly failed: readonly FailedFile[];
  /** Files that failed and then passed alone, with the errors of their first run. */
  readonly flaky: readonly FailedFile[];
}

/**
 * Selects the failed files that run once more. A daily file has no second chance: it must not depend on load.
 *
 * @param isCI false on the machine of a developer, who sees the failure and repeats the file
 * @returns paths of slow files
 */
export function selectSecondRuns(failed: readonly FailedFile[], isCI: boolean): readonly string[] {
  return isCI ? failed.map(({ file }) => file).filter((file) => file.endsWith('.slow.test.ts')) : [];
}

/**
 * Judges a run by its failed files and by their second runs.
 *
 * @param second errors of each second run by the path of its file: none if it passed
 */
export function judgeRun(first: readonly FailedFile[], second: ReadonlyMap<string, readonly string[]>): Verdict {
  const flaky = first.filter(({ file }) => second.get(file)?.length === 0);
  const failed = first
    .filter((candidate) => !flaky.includes(candidate))
    .map(({ file, errors }) => ({ file, errors: second.get(file) ?? errors }));
  return { failed, flaky };
}
