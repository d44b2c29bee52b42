import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { Connection } from '../../../src/stores/sqlite/driver.ts';
import { answerOf, errorOf } from '../../../src/stores/sqlite/reading.ts';
import { unavailable } from '../../../src/stores/sqlite/unavailable.ts';
import { StoreUnavailable } from '../../../src/stores/store.ts';
import { temporaryDirectory } from '../../temporary-directory.ts';

interface Opened {
  readonly file: string;
  readonly connection: Connection;
}

function opened(context: TestContext): Opened {
  const file = path.join(temporaryDirectory(context), 'kept.db');
  const connection = Connection.writer(file);
  context.after(() => connection.close());
  connection.run('create table kept (text text not null) strict');
  return { file, connection };
}

/** What a statement fails with. */
function failureOf(connection: Connection, statement: string): unknown {
  try {
    connection.run(statement);
  } catch (error) {
    return error;
  }
  return assert.fail(`done: ${statement}`);
}

const LONG = 'insert into kept values (hex(zeroblob(100000)))';
const SHORT = "insert into kept values ('')";

describe('a database that cannot be used just now', () => {
  const cases: readonly (readonly [obstacle: string, reason: RegExp, fail: (opened: Opened) => unknown])[] = [
    [
      'full',
      /^The disk of the database is full$/,
      ({ connection }) => {
        connection.pragma('max_page_count = 4');
        return failureOf(connection, LONG);
      },
    ],
    [
      'held',
      /^The database is held by another process$/,
      ({ file, connection }) => {
        const other = Connection.writer(file);
        other.run('begin immediate');
        const failure = failureOf(connection, SHORT);
        other.close();
        return failure;
      },
    ],
  ];
  for (const [obstacle, reason, fail] of cases) {
    it(`[LIM-3] is told by what is in the way, and SQLite's error is the cause: ${obstacle}`, (context) => {
      const error = fail(opened(context));
      const told = unavailable(error) ?? assert.fail('it is another error');
      assert.deepEqual([told.obstacle, told.cause], [obstacle, error]);
      assert.match(told.message, reason);
    });

    it(`[LIM-3] is told the same where a thread finds it: ${obstacle}`, (context) => {
      const answer = structuredClone(answerOf(fail(opened(context))));
      const error = answer.kind === 'rows' ? assert.fail('it has read') : errorOf(answer);
      assert.ok(error instanceof StoreUnavailable);
      assert.equal(error.obstacle, obstacle);
      assert.match(error.message, reason);
    });
  }

  it('is not told by an error that is a statement’s own', (context) => {
    const { connection } = opened(context);
    assert.equal(unavailable(failureOf(connection, 'insert into kept values (null)')), null);
  });
});
