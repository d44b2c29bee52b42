import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { it } from 'node:test';
import { killAll, startServer, waitUntilListening } from '../cli/server-process.ts';
import { programFile, skipWithout } from '../installed-programs.ts';
import { runProgram } from '../run-program.ts';

const SEED = 1;

/** Generated requests per operation, without those of links from one operation to the next. */
const EXAMPLES = 60;

/** Tests of fewer requests mean that the program did not understand the description. */
const FEWEST_REQUESTS = 1_000;

const here = import.meta.dirname;

/**
 * NUL, surrogates and noncharacters are valid in JSON and not in I-JSON (REP-7), which a schema cannot express: texts
 * are generated in Latin-1.
 */
const OPTIONS = [
  ['--seed', String(SEED)],
  ['--max-examples', String(EXAMPLES)],
  ['--generation-codec', 'latin-1'],
  ['--generation-allow-x00', 'false'],
  ['--generation-database', 'none'],
  ['--no-color'],
].flat();

it('[REP-1] [ERR-1] [MET-6] answers Schemathesis as described', { skip: skipWithout('schemathesis') }, async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'schemathesis-'));
  const server = startServer(folder, [path.join(here, 'model.yaml'), '--port', '0']);
  try {
    const url = `${await waitUntilListening(server)}/v1`;
    const args = ['run', path.join(here, 'openapi.yaml'), '--url', url, ...OPTIONS];
    const { code, stdout, stderr } = await runProgram([programFile('schemathesis') ?? '', ...args], { folder });
    const output = stdout + stderr;
    assert.equal(code, 0, output);
    const [, requests] = /^ *(\d+) generated, \1 passed$/m.exec(output) ?? [];
    assert.ok(Number(requests) >= FEWEST_REQUESTS, output);
  } finally {
    await killAll([server]);
    await rm(folder, { recursive: true });
  }
});
