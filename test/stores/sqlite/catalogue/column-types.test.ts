import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ColumnKind } from '../../../../src/introspect/database.ts';
import { openSqliteCatalogue } from '../../../../src/stores/sqlite/catalogue/sqlite-catalogue.ts';
import { databaseWith } from '../../../introspect/table-drafts.ts';
import { driverName } from '../driver-under-test.ts';

const uuid = "'0198c0de-7a1b-7c3d-8e4f-5a6b7c8d9e0f'";

/** The declared type, the stored values in SQL, the kind and the comment. */
const types: readonly [declared: string, values: string, kind: ColumnKind, note?: string][] = [
  ['integer', '1, -5, null', 'integer'],
  ['integer', '9007199254740991', 'integer'],
  ['integer', '1, 9007199254740992', 'int64', 'some values are beyond 2^53'],
  ['bigint', '1, -9223372036854775807', 'int64', 'some values are beyond 2^53'],
  ['int', '1, 1.5', 'number', 'INT, but some values have decimals'],
  ['int', "1, ''", 'integer', 'some values are text, and shown as null'],
  ['int', "'x'", 'text', 'INT, but the values are text'],
  ['int', '', 'integer'],
  ['boolean', '0, 1, null', 'boolean'],
  ['bool', '', 'boolean'],
  ['boolean', '0, 2', 'integer', 'boolean, but not all values are 0 or 1'],
  ['boolean', "'true'", 'text', 'boolean, but the values are text'],
  ['varchar(10)', "'more than ten characters', 5", 'text'],
  ['text', "x'00'", 'binary', 'TEXT, but the values are binary'],
  ['text', "'a', x'00'", 'text', 'some values are binary, and shown as null'],
  ['blob', "'a', x'00'", 'binary', 'some values are not binary, and shown as null'],
  ['text', '', 'text'],
  ['real', '1, 2.5', 'number'],
  ['double precision', '', 'number'],
  ['numeric', '1, 2', 'number'],
  ['decimal(10, 2)', '3, 0.1', 'number'],
  ['numeric', '0.5, 9007199254740993', 'number', 'integers beyond 2^53 are shown as null'],
  ['decimal(10)', '3', 'integer'],
  ['decimal(10,0)', '3', 'integer'],
  ['decimal(20)', '9007199254740993', 'int64', 'some values are beyond 2^53'],
  ['date', "'2026-01-31', null", 'date'],
  ['date', "'2026-02-30'", 'text', 'date, but not times in one form'],
  ['date', '', 'text', 'date without values: their form is not known'],
  ['datetime', "'2026-01-31T10:00:00Z', '2026-01-31T10:00:00.123456Z'", 'date-time'],
  ['datetime', "'2026-01-31T10:00:00+02:00'", 'date-time'],
  ['datetime', "'2026-01-31 10:00:00', '2026-01-31 10:00:00.123'", 'date-time', 'no zone: shown as UTC'],
  ['datetime', "'2026-01-31 10:00:00', '2026-01-31T10:00:00'", 'text', 'datetime, but not times in one form'],
  ['datetime', "'2026-02-30 10:00:00'", 'text', 'datetime, but not times in one form'],
  ['datetime', "'2026-01-31T10:00:00Z', '2026-01-31T10:00:00+02:00'", 'text', 'datetime, but not times in one form'],
  ['datetime', "'2026-01-31T10:00:00Z', '2026-01-31 10:00:00'", 'text', 'datetime, but not times in one form'],
  ['timestamp', '1700000000', 'integer', 'timestamp, and the values are integers'],
  ['uuid', uuid, 'uuid'],
  ['uuid', `${uuid}, 'x'`, 'text'],
  ['blob', "x'00'", 'binary'],
  ['blob', '', 'binary'],
  ['blob', "'a'", 'text', 'BLOB, but the values are text'],
  ['json', `'{"a":1}', '"text"', '5'`, 'json'],
  ['json', `'{"a":1}', '{'`, 'text', 'json, but the values are text'],
  ['jsonb', '', 'json'],
  ['', `'{"a":1}', '[]'`, 'json'],
  ['', `'{"a":1}', '5'`, 'text'],
  ['', "1, 'a'", 'text', 'no type, and some values are numbers'],
  ['', '1, 2', 'integer'],
  ['any', "1, 'a'", 'text', 'no type, and some values are numbers'],
  ['', '', 'text', 'no type and no value: the type is a guess'],
];

describe('the type of a column', () => {
  for (const [declared, values, kind, note = null] of types) {
    it(`is ${kind} for ${declared || 'no type'} with ${values || 'no values'}`, async (context) => {
      const rows = values === '' ? '' : `insert into a (c) select value from (${selectValues(values)})`;
      const [column] = await describeColumns(databaseWith(context, `create table a (c ${declared}); ${rows}`));
      assert.deepEqual(column?.type.kind, kind);
      assert.equal(column?.type.note?.toLowerCase() ?? null, note?.toLowerCase() ?? null);
    });
  }

  it('is date-time for text with the name of a time', async (context) => {
    const time = "'2026-01-31T10:00:00Z'";
    const file = databaseWith(
      context,
      `create table a (paidAt text, note text); insert into a values (${time}, ${time})`,
    );
    assert.deepEqual(
      (await describeColumns(file)).map(({ type }) => type.kind),
      ['date-time', 'text'],
    );
  });

  it('follows the first and the last rows of a large table', async (context) => {
    const file = databaseWith(
      context,
      `create table a (first int, last int, middle int);
       with recursive n(i) as (select 1 union all select i + 1 from n where i < 5000)
       insert into a select iif(i = 1, 'x', 0), iif(i = 5000, 'x', 0), iif(i = 2500, 'x', 0) from n`,
    );
    assert.deepEqual(
      (await describeColumns(file)).map(({ type }) => type.note),
      ['some values are text, and shown as null', 'some values are text, and shown as null', null],
    );
  });
});

function selectValues(values: string): string {
  return values
    .split(/,(?= )/)
    .map((value) => `select ${value} as value`)
    .join(' union all ');
}

async function describeColumns(
  file: string,
): Promise<readonly { readonly type: { kind: string; note: string | null } }[]> {
  const catalogue = openSqliteCatalogue(file, { driver: driverName });
  try {
    const [table] = await catalogue.describe(['a']);
    return table?.columns ?? [];
  } finally {
    await catalogue.close();
  }
}
