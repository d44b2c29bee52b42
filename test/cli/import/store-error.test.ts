import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CommandError } from '../../../src/cli/command-error.ts';
import { describingStoreErrors } from '../../../src/cli/import/store-error.ts';
import { StatementTimeout, StoreUnavailable } from '../../../src/stores/store.ts';

function failing(error: Error): Promise<never> {
  return describingStoreErrors('rows.csv', async () => {
    throw error;
  });
}

describe('an error of the database in an import', () => {
  it('[OPS-4b] is one line that says what to do', async () => {
    const refused = Object.assign(new Error('invalid byte sequence for encoding "UTF8": 0x00'), { code: '22021' });
    for (const [error, message] of [
      [
        new StoreUnavailable('The database cannot be reached'),
        /^The database cannot be reached\. Run the same command/,
      ],
      [new StatementTimeout('The database stopped the statement'), /^The database stopped the statement\. Run/],
      [refused, /^rows\.csv: the database refused a row .*0x00\. Correct it/],
      [Object.assign(new Error('too big'), { code: 'SQLITE_TOOBIG' }), /^rows\.csv: the database refused a row/],
    ] as const) {
      await assert.rejects(failing(error), (thrown) => thrown instanceof CommandError && message.test(thrown.message));
    }
  });

  it('[OPS-4b] hides no mistake of the program', async () => {
    const mistake = new TypeError('x is not a function');
    await assert.rejects(failing(mistake), mistake);
  });
});
