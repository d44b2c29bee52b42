import process from 'node:process';

/** True if suites of which `npm run test:all` runs a part are run whole. */
export const isWholeSuite: boolean = process.env['RESTWRIGHT_WHOLE_SUITE'] !== undefined;
