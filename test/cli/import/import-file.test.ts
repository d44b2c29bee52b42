import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { RowImportOutcome } from '../../../src/api.ts';
import { CHUNK_LIMITS, MAX_RECORD_BYTES } from '../../../src/cli/import/import-chunks.ts';
import { importFile, type ImportJob, type ImportOutcome } from '../../../src/cli/import/import-file.ts';
import { isJsonObject, type Json } from '../../../src/conventions/json/json.ts';
import type { Bookmark } from '../../../src/plan/bookmark.ts';

let folder = '';
before(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'import-file-'));
});
after(() => rm(folder, { recursive: true }));

/**
 * An in-memory collection of rows with a single member `n`, a number. A chunk and its bookmark are stored together or
 * not at all.
 */
class Collection {
  readonly rows: Json[] = [];
  readonly bookmarks = new Map<string, string>();
  /** The number of chunks to import until the process "crashes", before or right after the next commit. */
  chunksLeft = Number.POSITIVE_INFINITY;
  crashes: 'before the commit' | 'after the commit' = 'before the commit';

  async importRows(rows: readonly Json[], bookmark: Bookmark | undefined): Promise<RowImportOutcome> {
    const errors = rows.flatMap((row, index) =>
      isJsonObject(row) && typeof row['n'] === 'number'
        ? []
        : [
            {
              row: index,
              code: 'ROW_INVALID',
              message: 'is wrong',
              details: [{ field: 'n', message: 'must be a number' }],
            },
          ],
    );
    if (errors.length > 0) return { kind: 'refused', errors };
    this.chunksLeft -= 1;
    if (this.chunksLeft < 0 && this.crashes === 'before the commit') throw new Error('killed');
    this.rows.push(...rows.map((row) => (isJsonObject(row) ? (row['n'] ?? null) : row)));
    if (bookmark !== undefined) this.bookmarks.set(bookmark.name, bookmark.value);
    if (this.chunksLeft < 0) throw new Error('killed');
    return { kind: 'stored', count: rows.length };
  }
}

async function run(
  collection: Collection,
  source: string | Uint8Array,
  stop = new AbortController(),
): Promise<ImportOutcome> {
  const file = path.join(folder, 'source.ndjson');
  await writeFile(file, source);
  const job = {
    file,
    collection: 'rows',
    importRows: (_name, rows, bookmark) => collection.importRows(rows, bookmark),
    readBookmark: (name) => collection.bookmarks.get(name) ?? null,
    source: { format: 'ndjson', limits: { depth: 32, items: 10_000 }, csvReader: () => assert.fail('no CSV here') },
    signal: stop.signal,
    now: () => 0,
  } satisfies ImportJob;
  return importFile(job, () => {});
}

function lines(from: number, to: number): string {
  return Array.from({ length: to - from + 1 }, (_, index) => `{"n":${from + index}}\n`).join('');
}

function numbers(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

const LARGE = CHUNK_LIMITS.rows * 3 + 7;

describe('an import', () => {
  it('imports every row of the file, once and in order', async () => {
    const collection = new Collection();
    assert.deepEqual(await run(collection, lines(1, LARGE)), { kind: 'complete', rows: LARGE, resumed: false });
    assert.deepEqual(collection.rows, numbers(1, LARGE));
  });

  it('accepts CRLF, a byte order mark, blank lines and a last line without a line break', async () => {
    const collection = new Collection();
    await run(collection, '\u{feff}{"n":1}\r\n\r\n  \n{"n":2}\r\n{"n":3}');
    assert.deepEqual(collection.rows, [1, 2, 3]);
  });

  it('of an empty file imports nothing', async () => {
    assert.deepEqual(await run(new Collection(), '\n'), { kind: 'complete', rows: 0, resumed: false });
  });

  it('of a complete file imports nothing when it is run again', async () => {
    const collection = new Collection();
    await run(collection, lines(1, LARGE));
    assert.deepEqual(await run(collection, lines(1, LARGE)), { kind: 'complete', rows: 0, resumed: true });
    assert.equal(collection.rows.length, LARGE);
  });

  it('resumes after the committed part of an extended file, also after a last line without a line break', async () => {
    const collection = new Collection();
    await run(collection, '{"n":1}\n{"n":2}');
    assert.deepEqual(await run(collection, '{"n":1}\n{"n":2}\n{"n":3}\n'), {
      kind: 'complete',
      rows: 1,
      resumed: true,
    });
    assert.deepEqual(collection.rows, [1, 2, 3]);
  });

  it('starts at the beginning of another file, even one with the same first line, and resumes both', async () => {
    const collection = new Collection();
    const [one, other] = ['{"n":1}\n{"n":2}\n', '{"n":1}\n{"n":3}\n'];
    await run(collection, one);
    await run(collection, other);
    await run(collection, one);
    assert.deepEqual(collection.rows, [1, 2, 1, 3]);
  });

  for (const moment of ['before the commit', 'after the commit'] as const) {
    it(`that is killed in every chunk ${moment} and run again imports each row once`, async () => {
      const collection = new Collection();
      collection.crashes = moment;
      for (let kills = 0; kills < 5; kills += 1) {
        collection.chunksLeft = 1;
        await run(collection, lines(1, LARGE)).catch(() => {});
      }
      collection.chunksLeft = Number.POSITIVE_INFINITY;
      await run(collection, lines(1, LARGE));
      assert.deepEqual(collection.rows, numbers(1, LARGE));
    });
  }

  it('that is stopped finishes the current chunk, and the next run resumes it', async () => {
    const collection = new Collection();
    const stop = new AbortController();
    const importRows = collection.importRows.bind(collection);
    collection.importRows = async (...chunk) => {
      stop.abort('SIGINT');
      return importRows(...chunk);
    };
    assert.deepEqual(await run(collection, lines(1, LARGE), stop), { kind: 'stopped', rows: CHUNK_LIMITS.rows });
    collection.importRows = importRows;
    assert.deepEqual(await run(collection, lines(1, LARGE)), {
      kind: 'complete',
      rows: LARGE - CHUNK_LIMITS.rows,
      resumed: true,
    });
    assert.deepEqual(collection.rows, numbers(1, LARGE));
  });
});

describe('an invalid line', () => {
  it('is reported with its number, with all others of its chunk; the chunk is not imported', async () => {
    const collection = new Collection();
    const tooLong = `{"n":"${'x'.repeat(MAX_RECORD_BYTES)}"}`;
    const source = Buffer.concat([
      Buffer.from(`${lines(1, CHUNK_LIMITS.rows)}\n{"n":1001}\n{"n":}\n[1]\n{"n":"x"}\n`),
      Buffer.from([0x22, 0xff, 0x22, 0x0a]),
      Buffer.from(`${tooLong}\n{"n":1002}\n`),
    ]);
    const outcome = await run(collection, source);
    assert.ok(outcome.kind === 'invalid');
    assert.equal(outcome.rows, CHUNK_LIMITS.rows);
    assert.deepEqual([outcome.from, outcome.to], [CHUNK_LIMITS.rows + 2, CHUNK_LIMITS.rows + 8]);
    assert.deepEqual(
      outcome.errors.map(({ line, code }) => [line - CHUNK_LIMITS.rows, code]),
      [
        [3, 'REQUEST_BODY_MALFORMED'],
        [4, 'REQUEST_BODY_MALFORMED'],
        [5, 'ROW_INVALID'],
        [6, 'REQUEST_BODY_MALFORMED'],
        [7, 'REQUEST_BODY_TOO_LARGE'],
      ],
    );
    assert.deepEqual(outcome.errors[2]?.details, [{ field: 'n', message: 'must be a number' }]);
    assert.deepEqual(collection.rows, numbers(1, CHUNK_LIMITS.rows));
  });

  it('lets the import resume at its chunk once it is corrected', async () => {
    const collection = new Collection();
    await run(collection, `${lines(1, CHUNK_LIMITS.rows)}{"n":}\n`);
    assert.deepEqual(await run(collection, `${lines(1, CHUNK_LIMITS.rows)}{"n":1001}\n`), {
      kind: 'complete',
      rows: 1,
      resumed: true,
    });
    assert.deepEqual(collection.rows, numbers(1, CHUNK_LIMITS.rows + 1));
  });

  it('has its line number after a resumption, also where the last line had no line break', async () => {
    const collection = new Collection();
    await run(collection, '{"n":1}\n{"n":2}');
    const outcome = await run(collection, '{"n":1}\n{"n":2}\n\n{"n":}');
    assert.deepEqual(outcome.kind === 'invalid' && outcome.errors.map(({ line }) => line), [4]);
  });
});
