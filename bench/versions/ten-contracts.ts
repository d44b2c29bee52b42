// `node --expose-gc bench/versions/ten-contracts.ts [resources]`: what ten older contracts add to a start and to
// memory. See README.md.
import process from 'node:process';
import { loadModel, startApi, type StartedApi } from '../../src/index.ts';

const RESOURCES = Number(process.argv[2] ?? 10);
const CONTRACTS = 10;
const ROUNDS = 9;
const MEBIBYTE = 1024 * 1024;

/** Resources with twenty fields each, and older versions that rename a field of each and do not know another. */
function writeModel(contracts: number): string {
  const names = Array.from({ length: RESOURCES }, (_, index) => `r${index}s`);
  const properties = Object.fromEntries(
    Array.from({ length: 20 }, (_, index) => [`f${index}`, { type: index % 2 === 0 ? 'string' : 'integer' }]),
  );
  const resources = Object.fromEntries(names.map((name) => [name, { schema: { type: 'object', properties } }]));
  const versions = Array.from({ length: contracts }, (_, index) => {
    const from = index === 0 ? 'f0' : `g${index - 1}`;
    const changes = names.map((resource) => ({
      resource,
      rename: { [`g${index}`]: from },
      without: [`f${index + 1}`],
    }));
    return [`${contracts - index}.0.0`, { changes }];
  });
  const document = { name: 'bench', version: '99.0.0', default_version: 99, resources };
  return JSON.stringify({ ...document, versions: Object.fromEntries(versions) });
}

async function open(contracts: number): Promise<StartedApi> {
  const { model } = loadModel({ file: 'bench.json', text: writeModel(contracts), env: {} });
  return startApi({ model, database: ':memory:', observe: () => undefined });
}

interface Start {
  readonly milliseconds: number;
  readonly mebibytes: number;
}

async function measure(contracts: number): Promise<Start> {
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  const { user, system } = process.cpuUsage();
  const opened = await open(contracts);
  const after = process.cpuUsage();
  globalThis.gc?.();
  const mebibytes = (process.memoryUsage().heapUsed - before) / MEBIBYTE;
  await opened.close();
  return { milliseconds: (after.user + after.system - user - system) / 1000, mebibytes };
}

const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;

/** The first start of a process compiles the program, too. */
const first = [await measure(0), await measure(CONTRACTS)];
const starts = new Map([0, CONTRACTS].map((contracts): [number, Start[]] => [contracts, []]));
for (let round = 0; round < ROUNDS; round += 1)
  for (const [contracts, all] of starts) all.push(await measure(contracts));
process.stdout.write('| older contracts | ms of processor, median | MiB |\n| ---: | ---: | ---: |\n');
for (const [contracts, all] of starts) {
  const milliseconds = median(all.map((each) => each.milliseconds));
  const mebibytes = median(all.map((each) => each.mebibytes));
  process.stdout.write(`| ${contracts} | ${milliseconds.toFixed(0)} | ${mebibytes.toFixed(2)} |\n`);
}
process.stdout.write(`first in the process: ${first.map((each) => each.milliseconds.toFixed(0)).join(' and ')} ms\n`);
process.exit();
