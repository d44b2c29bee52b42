import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { SqliteConnection } from '../../../../src/stores/sqlite/connection/sqlite-connection.ts';
import { replyWithError, rebuildError } from '../../../../src/stores/sqlite/read-pool/statement-batch.ts';
import { unavailable } from '../../../../src/stores/sqlite/health/unavailable.ts';
import { StoreUnavailable } from '../../../../src/stores/store.ts';
import { temporaryDirectory } from '../../../temporary-directory.ts';
import { driver, sqliteError } from '../driver-under-test.ts';

interface Opened {
  readonly file: string;
  readonly connection: SqliteConnection;
}

function opened(context: TestContext): Opened {
  const file = path.join(temporaryDirectory(context), 'kept.db');
  const connection = SqliteConnection.writer(file, driver);
  context.after(() => connection.close());
  connection.run('create table kept (text text not null) strict');
  return { file, connection };
}

/** The error of a statement. */
function catchFailure(connection: SqliteConnection, statement: string): unknown {
  try {
    connection.run(statement);
  } catch (error) {
    return error;
  }
  return assert.fail(`done: ${statement}`);
}

const LONG = 'insert into kept values (hex(zeroblob(100000)))';
const SHORT = "insert into kept values ('')";

describe('a database that is temporarily unavailable', () => {
  const cases: readonly (readonly [reason: string, message: RegExp, fail: (opened: Opened) => unknown])[] = [
    [
      'full',
      /^The disk of the database is full$/,
      ({ connection }) => {
        connection.pragma('max_page_count = 4');
        return catchFailure(connection, LONG);
      },
    ],
    [
      'locked',
      /^Another process has locked the database$/,
      ({ file, connection }) => {
        const other = SqliteConnection.writer(file, driver);
        other.run('begin immediate');
        const failure = catchFailure(connection, SHORT);
        other.close();
        return failure;
      },
    ],
  ];
  for (const [reason, message, fail] of cases) {
    it(`[LIM-3] is reported with the reason, and SQLite's error as the cause: ${reason}`, (context) => {
      const error = fail(opened(context));
      const reported = unavailable(error) ?? assert.fail('it is another error');
      assert.deepEqual([reported.reason, reported.cause], [reason, error]);
      assert.match(reported.message, message);
    });

    it(`[LIM-3] is reported by a read thread in the same way: ${reason}`, (context) => {
      const answer = structuredClone(replyWithError(fail(opened(context))));
      const error = answer.kind === 'rows' ? assert.fail('it has read') : rebuildError(answer);
      assert.ok(error instanceof StoreUnavailable);
      assert.equal(error.reason, reason);
      assert.match(error.message, message);
    });
  }

  it('[OPS-7a] is lost where SQLite notices itself that its file was moved', () => {
    assert.equal(unavailable(sqliteError('SQLITE_READONLY_DBMOVED'))?.reason, 'lost');
  });

  it('is not reported for an error of a statement', (context) => {
    const { connection } = opened(context);
    assert.equal(unavailable(catchFailure(connection, 'insert into kept values (null)')), null);
  });
});
