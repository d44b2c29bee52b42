import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { memberToken, SECRET } from '../auth/signing.ts';
import { killAll, startServer, waitUntilListening } from '../cli/server-process.ts';
import { programFile } from '../installed-programs.ts';
import { runProgram } from '../run-program.ts';

/** The requests that Schemathesis generates. */
export interface SchemathesisOptions {
  readonly phases: readonly ('examples' | 'coverage' | 'fuzzing' | 'stateful')[];
  /**
   * Requests for each operation, of fuzzing and stateful tests: those of the other phases follow from the description.
   */
  readonly examples: number;
  readonly seed: number;
  /** The methods of the operations. Default: all. */
  readonly methods?: readonly string[];
}

/** The findings of Schemathesis. */
export interface SchemathesisVerdict {
  readonly passed: boolean;
  /** The number of requests that it generated. */
  readonly cases: number;
  readonly output: string;
}

const here = import.meta.dirname;

/**
 * Serves described-model.yaml, and lets Schemathesis judge the server by its own description in OpenAPI 3.2, which has
 * QUERY.
 */
export async function judgeDescription({
  phases,
  examples,
  seed,
  methods = [],
}: SchemathesisOptions): Promise<SchemathesisVerdict> {
  const folder = mkdtempSync(path.join(tmpdir(), 'schemathesis-'));
  const model = path.join(here, 'described-model.yaml');
  const server = startServer(folder, [model, '--port', '0'], { ARCHIVE_SECRET: SECRET });
  try {
    const { origin } = new URL(await waitUntilListening(server));
    const described = await fetch(`${origin}/openapi.json?openapi=3.2`);
    assert.equal(described.status, 200);
    writeFileSync(path.join(folder, 'openapi.json'), await described.text());
    copyFileSync(path.join(here, 'hooks.py'), path.join(folder, 'hooks.py'));
    const token = memberToken('archive', ['authors', 'books', 'reviews', 'events']);
    const options = ['--url', origin, '--header', `Authorization: Bearer ${token}`, '--phases', phases.join(',')];
    const numbers = ['--max-examples', String(examples), '--seed', String(seed), '--no-color'];
    const program = [programFile('schemathesis') ?? '', '--config-file', path.join(here, 'schemathesis.toml')];
    const included = methods.flatMap((method) => ['--include-method', method]);
    const run = await runProgram([...program, 'run', 'openapi.json', ...options, ...numbers, ...included], { folder });
    const output = run.stdout + run.stderr;
    const [, cases] = /^ *(\d+) generated/m.exec(output) ?? [];
    return { passed: run.code === 0, cases: Number(cases ?? 0), output };
  } finally {
    await killAll([server]);
    rmSync(folder, { recursive: true });
  }
}
