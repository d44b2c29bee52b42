import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { StatementCache } from '../../../../src/stores/sqlite/connection/sqlite-connection.ts';

describe('the statement cache', () => {
  let prepared: string[];
  let statements: StatementCache<{ readonly sql: string }>;
  const get = (sql: string): string => statements.get(sql).sql;

  beforeEach(() => {
    prepared = [];
    statements = new StatementCache((sql) => {
      prepared.push(sql);
      return { sql };
    });
  });

  it('prepares a statement once', () => {
    assert.deepEqual([get('a'), get('b'), get('a')], ['a', 'b', 'a']);
    assert.deepEqual(prepared, ['a', 'b']);
  });

  it('prepares a statement again after it was cleared', () => {
    get('a');
    statements.clear();
    get('a');
    assert.deepEqual(prepared, ['a', 'a']);
  });

  it('[LIM-1] evicts statements when there are many, but none that is used', () => {
    for (let index = 0; index < 2_000; index += 1) {
      get(`statement ${index}`);
      get('used');
    }
    assert.equal(prepared.length, 2_001);
    get('statement 0');
    assert.equal(prepared.length, 2_002);
    get('statement 1999');
    assert.equal(prepared.length, 2_002);
  });

  it('[LIM-1] evicts statements when they are long', () => {
    const sql = (index: number): string => `${index}`.padEnd(10_000, ' ');
    for (let index = 0; index < 200; index += 1) get(sql(index));
    get(sql(199));
    assert.equal(prepared.length, 200);
    get(sql(0));
    assert.equal(prepared.length, 201);
  });

  it('[LIM-1] prepares a very long statement each time', () => {
    for (let time = 0; time < 3; time += 1) get('x'.repeat(100_000));
    assert.equal(prepared.length, 3);
  });
});
