// `npm run judge -- schemathesis --examples 2000 --seed 7` and `npm run judge -- oasdiff --pairs 1000 --seed 100`: the
// judges of `npm run test:all` with more random input. Exit code 1 if one disagrees with the server.
import process from 'node:process';
import { parseArgs } from 'node:util';
import { judgeDiffs } from '../test/oasdiff/judge-diffs.ts';
import { judgeDescription } from '../test/schemathesis/judge-description.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    examples: { type: 'string', default: '1000' },
    pairs: { type: 'string', default: '1000' },
    seed: { type: 'string', default: String(Math.floor(Date.now() / 1000)) },
  },
});
const [examples, pairs, seed] = [values.examples, values.pairs, values.seed].map(Number);
const judges = new Map([
  ['schemathesis', judgeServer],
  ['oasdiff', judgePairs],
]);
const judge = judges.get(positionals[0] ?? '');
if (judge === undefined || !examples || !pairs || seed === undefined || !Number.isSafeInteger(seed)) {
  process.stderr.write('usage: npm run judge -- schemathesis|oasdiff [--examples 1000] [--pairs 1000] [--seed 1]\n');
  process.exit(2);
}
process.exitCode = (await judge()) ? 0 : 1;

async function judgeServer(): Promise<boolean> {
  const phases = ['examples', 'coverage', 'fuzzing', 'stateful'] as const;
  const { passed, output } = await judgeDescription({ phases, examples: examples ?? 0, seed: seed ?? 0 });
  process.stdout.write(output);
  return passed;
}

async function judgePairs(): Promise<boolean> {
  const judged = await judgeDiffs(pairs ?? 0, seed ?? 0);
  const wrong = judged.filter(
    ({ isBreaking, isDescriptionBreaking, breakingChanges }) =>
      breakingChanges.length > 0 && !(isBreaking && isDescriptionBreaking),
  );
  for (const each of wrong) process.stdout.write(`${JSON.stringify(each, null, 2)}\n`);
  process.stdout.write(
    `${judged.length} pairs, seed ${seed}, ${wrong.length} called compatible and breaking by oasdiff\n`,
  );
  return wrong.length === 0;
}
