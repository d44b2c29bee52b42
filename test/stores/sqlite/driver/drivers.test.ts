import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { availableMemory } from '../../../../src/platform/process/available-memory.ts';
import { mappedBytes, SqliteConnection } from '../../../../src/stores/sqlite/connection/sqlite-connection.ts';
import { DRIVER_NAMES, type DriverConnection, type OpenOptions } from '../../../../src/stores/sqlite/driver/driver.ts';
import { loadDriver } from '../../../../src/stores/sqlite/driver/select-driver.ts';
import {
  isBusy,
  isConstraintFailure,
  isCorrupt,
  isDatabaseFailure,
  sqliteCode,
} from '../../../../src/stores/sqlite/driver/sqlite-errors.ts';
import { temporaryDirectory } from '../../../temporary-directory.ts';

/** The error that a function throws. */
function thrown(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  return assert.fail('nothing was thrown');
}

for (const name of DRIVER_NAMES) {
  const driver = loadDriver(name);

  const openFile = (file: string, context: TestContext, options: Partial<OpenOptions> = {}): DriverConnection => {
    const connection = driver.open(file, { mode: 'create', timeout: 0, ...options });
    context.after(() => connection.close());
    return connection;
  };
  const nameFile = (context: TestContext): string => path.join(temporaryDirectory(context), 'some file?#%.db');
  const table = (connection: DriverConnection): DriverConnection => {
    connection.exec('create table t (id integer primary key, name text unique, size real not null) strict');
    return connection;
  };
  const memory = (context: TestContext): DriverConnection => table(openFile(':memory:', context));

  describe(`the driver ${name}`, () => {
    it('reads rows as plain objects with their columns in order, by every method', (context) => {
      const connection = memory(context);
      const statement = connection.prepare('select 1 as b, 1.5 as a, ? as text, null as none');
      const row = { b: 1, a: 1.5, text: 'x', none: null };
      assert.deepEqual(statement.get('x'), row);
      assert.deepEqual(statement.all('x'), [row]);
      assert.deepEqual([...statement.iterate('x')], [row]);
      assert.deepEqual(Object.keys(statement.get('x') ?? {}), ['b', 'a', 'text', 'none']);
      assert.equal(connection.prepare('select * from t').get(), undefined);
    });

    it('reads the columns that a table has by now', (context) => {
      const connection = memory(context);
      const statement = connection.prepare('select * from t');
      connection.exec("insert into t values (1, 'x', 1)");
      assert.deepEqual(statement.all(), [{ id: 1, name: 'x', size: 1 }]);
      connection.exec('alter table t add more text');
      assert.deepEqual(statement.all(), [{ id: 1, name: 'x', size: 1, more: null }]);
    });

    it('keeps values: text, bytes, integers of 64 bits, numbers that are integers in a real column', (context) => {
      const connection = memory(context);
      const read = connection.prepare(
        'select typeof(x) as type, x as value, cast(x as text) as text from (select ? as x)',
      );
      const wide = 9_223_372_036_854_775_807n;
      assert.deepEqual(read.get(wide), { type: 'integer', value: Number(wide), text: String(wide) });
      assert.deepEqual(read.get('a\0é'), { type: 'text', value: 'a\0é', text: 'a\0é' });
      assert.deepEqual(Buffer.from(Object(read.get(Buffer.from([0, 255])))['value']), Buffer.from([0, 255]));
      assert.equal(Number(connection.prepare('insert into t values (?, ?, ?)').run(5n, 'x', 2).changes), 1);
      assert.deepEqual(connection.prepare('select id, size, typeof(id) as type from t').get(), {
        id: 5,
        size: 2,
        type: 'integer',
      });
    });

    it('stops an iteration without keeping a read open', (context) => {
      const connection = memory(context);
      connection.exec("insert into t values (1, 'a', 1), (2, 'b', 1)");
      for (const _row of connection.prepare('select * from t').iterate()) break;
      connection.exec('drop table t');
    });

    it('fails a statement with the error that a SQL function throws, by every method', (context) => {
      const connection = memory(context);
      const error = new RangeError('refused');
      connection.function('refuse', { deterministic: false, varargs: true }, () => {
        throw error;
      });
      const statement = connection.prepare('select refuse(value) from json_each(?)');
      for (const run of [
        () => statement.all('[1,2]'),
        () => statement.get('[1]'),
        () => [...statement.iterate('[1]')],
      ]) {
        assert.equal(thrown(run), error);
      }
      assert.deepEqual(connection.prepare('select 1 as one').all(), [{ one: 1 }]);
    });

    it('passes any number of values to a SQL function, which may be deterministic', (context) => {
      const connection = memory(context);
      const seen: unknown[] = [];
      connection.function('seen', { deterministic: true, varargs: true }, (...values) => {
        seen.push(values);
        return values.length;
      });
      assert.deepEqual(connection.prepare("select seen() + seen(1, 'a', null, 9007199254740993) as sum").all(), [
        { sum: 4 },
      ]);
      assert.deepEqual(seen, [[], [1, 'a', null, 9_007_199_254_740_992]]);
      connection.exec('create index by_count on t (seen(name))');
    });

    it('knows whether a transaction is open, also once it is closed', (context) => {
      const connection = memory(context);
      assert.equal(connection.inTransaction, false);
      connection.prepare('begin').run();
      assert.equal(connection.inTransaction, true);
      connection.close();
      assert.equal(connection.inTransaction, false);
      connection.close();
    });

    it('reports statements with their values as they run', (context) => {
      const statements: string[] = [];
      const connection = openFile(':memory:', context, { trace: (text) => void statements.push(text) });
      connection.prepare('select ? as value').all('x');
      connection.prepare('select ? as value').get(5n);
      assert.deepEqual(statements, ["select 'x' as value", 'select 5 as value']);
    });

    it('creates a file in one mode only', (context) => {
      const file = nameFile(context);
      for (const mode of ['existing', 'read-only'] as const) {
        assert.equal(sqliteCode(thrown(() => openFile(file, context, { mode }))), 'SQLITE_CANTOPEN');
        assert.equal(existsSync(file), false);
      }
      table(openFile(file, context)).exec("insert into t values (1, 'x', 1)");
      for (const mode of ['existing', 'read-only'] as const) {
        assert.deepEqual(openFile(file, context, { mode }).prepare('select id from t').all(), [{ id: 1 }]);
      }
      openFile(file, context, { mode: 'existing' }).exec("insert into t values (2, 'y', 1)");
      const reader = openFile(file, context, { mode: 'read-only' });
      assert.equal(sqliteCode(thrown(() => reader.prepare('delete from t').run())), 'SQLITE_READONLY');
    });

    it('[OPS-4c] syncs each commit of a write-ahead log, and maps the file', (context) => {
      const connection = SqliteConnection.writer(nameFile(context), driver);
      context.after(() => connection.close());
      const pragmas = ['journal_mode', 'synchronous', 'foreign_keys', 'busy_timeout', 'wal_autocheckpoint'];
      assert.deepEqual(
        [...pragmas, 'mmap_size', 'cache_size'].map((pragma) => connection.pragma(pragma)),
        ['wal', 2, 1, 0, 32_768, mappedBytes(availableMemory()), -4_096],
      );
    });

    it('maps half of the memory that there is, and no more than SQLite can', () => {
      assert.equal(mappedBytes(536_870_912), 268_435_456);
      assert.equal(mappedBytes(68_719_476_736), 2_147_418_112);
    });

    it('names the errors of SQLite', (context) => {
      const file = nameFile(context);
      const connection = table(openFile(file, context));
      connection.exec("insert into t values (1, 'x', 1)");
      const insert = connection.prepare('insert into t values (?, ?, ?)');
      const other = openFile(file, context);
      const write = other.prepare("update t set name = 'y' returning id");
      connection.exec('begin immediate');
      const busy = [() => write.all(), () => write.get(), () => other.prepare('begin immediate').run()].map(thrown);
      assert.deepEqual(busy.map(sqliteCode), Array(3).fill('SQLITE_BUSY'));
      assert.ok(isBusy(busy[0]) && isDatabaseFailure(busy[0]) && !isConstraintFailure(busy[0]));
      connection.exec('commit; pragma max_page_count = 3');
      const codes = [
        () => insert.run(1, 'y', 1),
        () => insert.run(2, 'x', 1),
        () => insert.run(2, 'y', null),
        () => insert.run(2, 'y'.repeat(100_000), 1),
        () => connection.prepare('nonsense'),
      ].map((run) => sqliteCode(thrown(run)));
      assert.deepEqual(codes, [
        'SQLITE_CONSTRAINT_PRIMARYKEY',
        'SQLITE_CONSTRAINT_UNIQUE',
        'SQLITE_CONSTRAINT_NOTNULL',
        'SQLITE_FULL',
        'SQLITE_ERROR',
      ]);
      const damaged = path.join(path.dirname(file), 'damaged.db');
      writeFileSync(damaged, 'This is text, and as long as the header of a database has to be at least. '.repeat(20));
      const error = thrown(() => openFile(damaged, context).prepare('select * from sqlite_schema').all());
      assert.ok(isCorrupt(error) && isDatabaseFailure(error), sqliteCode(error));
    });
  });
}

it('[OPS-7a] the extended codes of SQLite have the names of its header file', () => {
  const header = readFileSync(
    path.join(import.meta.dirname, '../../../../node_modules/better-sqlite3/deps/sqlite3/sqlite3.h'),
    'utf8',
  );
  const defined = (pattern: RegExp): readonly RegExpMatchArray[] => [...header.matchAll(pattern)];
  const primary = new Map(defined(/^#define (SQLITE_[A-Z]+) +(\d+) /gm).map(([, name, code]) => [name, Number(code)]));
  const extended = defined(/^#define (SQLITE_\w+) +\((SQLITE_[A-Z]+) *\| *\((\d+)<<8\)\)/gm)
    .filter(([, name]) => !/^SQLITE_(?:OK|NOTICE|WARNING)_/.test(name ?? ''))
    .map(([, name, of, count]) => [name, (primary.get(of) ?? 0) + 256 * Number(count)] as const);
  assert.ok(extended.length > 70, `${extended.length} codes`);
  for (const [name, errcode] of [...extended, ['SQLITE_BUSY', 5], ['SQLITE_NOTADB', 26]] as const) {
    assert.equal(sqliteCode(Object.assign(new Error('x'), { code: 'ERR_SQLITE_ERROR', errcode })), name);
  }
});

it('[OPS-7a] an error without a code, as Deno throws some, is named by its message', () => {
  const code = (message: string): string => sqliteCode(Object.assign(new Error(message), { code: 'ERR_SQLITE_ERROR' }));
  assert.equal(code('database is locked'), 'SQLITE_BUSY');
  assert.equal(code('UNIQUE constraint failed: t.name'), 'SQLITE_CONSTRAINT');
  assert.equal(code('unable to open database file: /x.db'), 'SQLITE_CANTOPEN');
  assert.equal(code('no such table: t'), 'SQLITE_ERROR');
  assert.equal(sqliteCode(new Error('database is locked')), '');
});
