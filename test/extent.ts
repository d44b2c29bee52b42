import process from 'node:process';

/** True in `npm run test:all`, which sets the variable. */
const isAll = process.env['RESTWRIGHT_TEST_EXTENT'] === 'all';

/** True if suites run whole of which `npm run test:all` runs a part. */
export const isWholeSuite: boolean = process.env['RESTWRIGHT_WHOLE_SUITE'] !== undefined;

/**
 * Chooses the number of cases of a law.
 *
 * @param daily for `npm test`, which everybody waits for
 * @param all for `npm run test:all`, which `.ci/run` runs
 */
export function runs(daily: number, all: number): number {
  return isAll ? all : daily;
}
