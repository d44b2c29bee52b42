import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { type ApiUnderTest, apiUnderTest } from '../../pipeline/support/api-under-test.ts';
import { sourceFile } from '../../stores/existing/source-file.ts';

/** All characters of ASCII that are visible, and the space. */
const CHARACTERS = Array.from({ length: 95 }, (_, at) => String.fromCodePoint(0x20 + at));

/** Texts that begin with each of them, in both cases of the next letter. */
const TEXTS = CHARACTERS.flatMap((character) => [character, `${character}z`, `${character}Z`, `${character} `]);

const COLUMNS = ['plain', 'folded', 'trimmed', 'untyped'] as const;

const MODEL = `
name: texts
limits: { page: { default: 400, max: 400 } }
resources:
  texts:
    table: texts
    schema:
      type: object
      properties:
        ${COLUMNS.map((name) => `${name}: { type: string }`).join('\n        ')}
        digits: { type: string }
`;

async function openTexts(context: TestContext): Promise<ApiUnderTest> {
  const rows = TEXTS.map((text, at) => `(${[at, ...COLUMNS.map(() => `'${text.replaceAll("'", "''")}'`), at].join()})`);
  const file = sourceFile(
    context,
    `create table texts (id integer primary key, plain text, folded text collate nocase, trimmed text collate rtrim, untyped, digits int);
     create index by_folded on texts (folded);
     insert into texts values ${rows.join()};`,
  );
  const api = await apiUnderTest(MODEL, { readOnly: true, database: file });
  context.after(() => api.close());
  return api;
}

async function listStarting(api: ApiUnderTest, column: string, prefix: string): Promise<readonly number[]> {
  const { status, body, text } = await api.send({
    send: `GET /api/v1/texts?${column}[starts_with]=${encodeURIComponent(prefix)}`,
  });
  assert.equal(status, 200, text);
  return body.data.map(({ id }: { id: string }) => Number(id)).toSorted((one: number, other: number) => one - other);
}

function filterStarting(texts: readonly string[], prefix: string): readonly number[] {
  return texts.flatMap((text, at) => (text.startsWith(prefix) ? [at] : []));
}

describe('[QRY-1] starts_with on a table that exists', () => {
  for (const column of COLUMNS)
    it(`finds texts by each first character, whatever the collation of the column ${column}`, async (context) => {
      const api = await openTexts(context);
      for (const prefix of [...CHARACTERS, 'Zz', 'zZ', '@Z', 'Z ', '{', '[z'])
        assert.deepEqual(await listStarting(api, column, prefix), filterStarting(TEXTS, prefix), prefix);
    });

  it('finds numbers by their first digits', async (context) => {
    const api = await openTexts(context);
    const digits = TEXTS.map((_, at) => String(at));
    for (const prefix of ['0', '1', '12', '9', '379'])
      for (const column of ['digits', 'id'])
        assert.deepEqual(await listStarting(api, column, prefix), filterStarting(digits, prefix), prefix);
  });
});
