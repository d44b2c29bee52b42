// A run of test files: each in its own process, with the report of the specification reporter on standard output.
import path from 'node:path';
import process from 'node:process';
import { run as runTests } from 'node:test';
import { spec } from 'node:test/reporters';
import { inspect } from 'node:util';
import { root } from './command.ts';
import type { FailedFile } from './second-chance.ts';

export interface RunOptions {
  /** The number of files that run at the same time. */
  readonly concurrency: number;
  /** Milliseconds that one test may take. */
  readonly timeout: number;
  /** Milliseconds without output after which the run fails: longer than any test may take. */
  readonly silence: number;
}

export interface RunResult {
  readonly failed: readonly FailedFile[];
  /** Failures of the run itself: a hang, no tests, tests that are skipped. A line each. */
  readonly problems: readonly string[];
  /** Milliseconds by the path of the file. */
  readonly durations: ReadonlyMap<string, number>;
}

/** Characters of standard error that belong to the error of a process that crashes. */
const OUTPUT_SHOWN = 4_000;

type Events = ReturnType<typeof runTests>;

/** Each process of a test file loads it, to record its processor time. */
const RECORDER = new URL('processor-time.ts', import.meta.url).href;

/** Runs each file in its own process: they share no state, and a hang or crash ends only one of them. */
export async function runFiles(files: readonly string[], options: RunOptions): Promise<RunResult> {
  const { concurrency, timeout, silence } = options;
  const stop = new AbortController();
  const problems: string[] = [];
  const execArgv = ['--import', RECORDER];
  const events = runTests({ files: [...files], concurrency, timeout, signal: stop.signal, cwd: root, execArgv });
  const durations = new Map<string, number>();
  const alarm = setTimeout(() => {
    const names = files.filter((file) => !durations.has(file)).map((file) => path.relative(root, file));
    const found = `no output for ${silence / 1000} s from ${names.join(', ')}`;
    problems.push(`${found}: is a server, database or timer left open?`);
    stop.abort();
  }, silence);
  events.on('data', () => alarm.refresh());
  events.on('test:summary', ({ file, duration_ms: duration }) => {
    if (file !== undefined) durations.set(file, duration);
  });
  const failures = collectFailures(events);
  collectProblems(events, problems);
  await events.compose(new spec()).forEach((text: string | Buffer) => void process.stdout.write(text));
  clearTimeout(alarm);
  const failed = [...failures].map(([file, errors]) => ({ file, errors }));
  return { failed, problems, durations };
}

/** Collects the errors of failed tests by the path of their file. */
function collectFailures(events: Events): ReadonlyMap<string, readonly string[]> {
  const failures = new Map<string, string[]>();
  const output = new Map<string, string>();
  events.on('test:stderr', ({ file, message }) => {
    output.set(file, `${output.get(file) ?? ''}${message}`.slice(-OUTPUT_SHOWN));
  });
  events.on('test:fail', ({ name, file = name, entryFile = file, details, todo }) => {
    const { error } = details;
    // A suite fails because a test in it fails, unless one of its hooks does.
    if (todo !== undefined || ('failureType' in error && error.failureType === 'subtestsFailed')) return;
    // A process that crashes is reported as a test named like its file.
    const rest = name === file ? `\n${output.get(file) ?? ''}` : '';
    failures.getOrInsert(entryFile, []).push(`${name}\n${inspect(error.cause ?? error)}${rest}`);
  });
  return failures;
}

/** Collects failures of the run itself. */
function collectProblems(events: Events, problems: string[]): void {
  events.on('test:pass', ({ name, file }) => {
    // A file without tests is reported as a test named like itself.
    if (name === file) problems.push(`${path.relative(root, name)} holds no test`);
  });
  events.on('test:summary', ({ file, counts }) => {
    if (file !== undefined) return;
    if (counts.tests === 0) problems.push('no test ran');
    const left = counts.skipped + counts.todo;
    if (left > 0 && process.env['CI'] === 'true')
      problems.push(`${left} tests are skipped or to do, which CI does not accept`);
  });
}
