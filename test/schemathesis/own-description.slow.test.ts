import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { skipWithout } from '../installed-programs.ts';
import { judgeDescription, type SchemathesisOptions } from './judge-description.ts';

const SEED = 1;

/** With it, all tests together send 17,000 requests; `npm run judge -- schemathesis` sends more. */
const EXAMPLES = 50;

const READS = ['GET', 'HEAD', 'OPTIONS', 'QUERY'];
const WRITES = ['POST', 'PUT', 'PATCH', 'DELETE'];

interface Part extends Omit<SchemathesisOptions, 'seed'> {
  readonly name: string;
  /** Requests, at least. */
  readonly cases: number;
}

const PARTS: readonly Part[] = [
  {
    name: 'each bound of reads and past it',
    phases: ['examples', 'coverage'],
    examples: 1,
    methods: READS,
    cases: 4_000,
  },
  {
    name: 'each bound of writes and past it',
    phases: ['examples', 'coverage'],
    examples: 1,
    methods: WRITES,
    cases: 4_000,
  },
  { name: 'random reads', phases: ['fuzzing'], examples: EXAMPLES / 2, methods: READS, cases: 400 },
  { name: 'random writes', phases: ['fuzzing'], examples: EXAMPLES, methods: WRITES, cases: 300 },
  { name: 'sequences of requests', phases: ['stateful'], examples: EXAMPLES, cases: 100 },
];

describe('the own description of the server', { skip: skipWithout('schemathesis') }, () => {
  for (const { name, cases, ...options } of PARTS) {
    it(`[OPS-1a] is right about every parameter, header field and body: ${name}`, async () => {
      const verdict = await judgeDescription({ ...options, seed: SEED });
      assert.ok(verdict.passed, verdict.output);
      assert.ok(verdict.cases > cases, verdict.output);
    });
  }
});
