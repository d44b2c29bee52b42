// Processor time of test files. As a module of `--import`, it records that of its process when the process exits.
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import process from 'node:process';
import { isMainThread } from 'node:worker_threads';

/** The environment variable with the path of the file that each test file appends a line to. */
export const RECORDS = 'RESTWRIGHT_PROCESSOR_TIMES';

/** Ticks of a second in `/proc`, the same on each platform of Linux. */
const TICKS = 100;

const records = process.env[RECORDS];
const [, program = ''] = process.argv;
// A process that a test forks inherits the options of the test, but runs another program.
if (records !== undefined && isMainThread && program.endsWith('.test.ts')) {
  process.on('exit', () => appendFileSync(records, `${JSON.stringify([program, measureProcessorTime()])}\n`));
}

/**
 * @returns seconds that this process and its ended children have computed; without the children where there is no
 *   `/proc`
 */
export function measureProcessorTime(): number {
  const stat = '/proc/self/stat';
  if (!existsSync(stat)) {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000_000;
  }
  // The name of the program, in parentheses, may contain spaces. The third field follows it.
  const fields = readFileSync(stat, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  const times = fields.slice(11, 15).map(Number);
  return times.reduce((sum, time) => sum + time, 0) / TICKS;
}

/** Reads the records of a run. @returns seconds by the path of a test file */
export function readProcessorTimes(file: string): ReadonlyMap<string, number> {
  if (!existsSync(file)) return new Map();
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return new Map(lines.map((line): [string, number] => JSON.parse(line)));
}
