import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { RowImportOutcome } from '../../../src/api.ts';
import { CHUNK_LIMITS, MAX_RECORD_BYTES } from '../../../src/cli/import/import-chunks.ts';
import { importFile, type ImportOutcome } from '../../../src/cli/import/import-file.ts';
import { isJsonObject, type Json } from '../../../src/conventions/json.ts';
import type { Bookmark } from '../../../src/plan/plan.ts';

let folder = '';
before(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'import-file-'));
});
after(() => rm(folder, { recursive: true }));

/** A collection in memory that takes rows of the one member `n`, a number; a batch and its bookmark go in together or not at all. */
class Collection {
  readonly rows: Json[] = [];
  readonly bookmarks = new Map<string, string>();
  /** How many batches are still taken before the process "dies": before the commit, or right after it. */
  lives = Number.POSITIVE_INFINITY;
  dies: 'before the commit' | 'after the commit' = 'before the commit';

  async ingest(rows: readonly Json[], bookmark: Bookmark | undefined): Promise<RowImportOutcome> {
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
    this.lives -= 1;
    if (this.lives < 0 && this.dies === 'before the commit') throw new Error('killed');
    this.rows.push(...rows.map((row) => (isJsonObject(row) ? (row['n'] ?? null) : row)));
    if (bookmark !== undefined) this.bookmarks.set(bookmark.name, bookmark.value);
    if (this.lives < 0) throw new Error('killed');
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
  return importFile({
    file,
    collection: 'rows',
    ingest: (_name, rows, bookmark) => collection.ingest(rows, bookmark),
    bookmark: (name) => collection.bookmarks.get(name) ?? null,
    source: { format: 'ndjson', limits: { depth: 32, items: 10_000 }, csvReader: () => assert.fail('no CSV here') },
    signal: stop.signal,
    now: () => 0,
    onProgress: () => {},
  });
}

function lines(from: number, to: number): string {
  return Array.from({ length: to - from + 1 }, (_, index) => `{"n":${from + index}}\n`).join('');
}

function numbers(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

const LARGE = CHUNK_LIMITS.rows * 3 + 7;

describe('an import', () => {
  it('brings every row of the file in, once and in order', async () => {
    const collection = new Collection();
    assert.deepEqual(await run(collection, lines(1, LARGE)), { kind: 'complete', rows: LARGE, resumed: false });
    assert.deepEqual(collection.rows, numbers(1, LARGE));
  });

  it('takes CRLF, a byte order mark, blank lines and a last line without a line break', async () => {
    const collection = new Collection();
    await run(collection, '\u{feff}{"n":1}\r\n\r\n  \n{"n":2}\r\n{"n":3}');
    assert.deepEqual(collection.rows, [1, 2, 3]);
  });

  it('of an empty file writes nothing', async () => {
    assert.deepEqual(await run(new Collection(), '\n'), { kind: 'complete', rows: 0, resumed: false });
  });

  it('run again writes nothing, since the whole file is in', async () => {
    const collection = new Collection();
    await run(collection, lines(1, LARGE));
    assert.deepEqual(await run(collection, lines(1, LARGE)), { kind: 'complete', rows: 0, resumed: true });
    assert.equal(collection.rows.length, LARGE);
  });

  it('goes on behind the committed part of a file that was lengthened, also behind a last line without a line break', async () => {
    const collection = new Collection();
    await run(collection, '{"n":1}\n{"n":2}');
    assert.deepEqual(await run(collection, '{"n":1}\n{"n":2}\n{"n":3}\n'), {
      kind: 'complete',
      rows: 1,
      resumed: true,
    });
    assert.deepEqual(collection.rows, [1, 2, 3]);
  });

  it('begins at the beginning with another file, even one with the same first line, and remembers both', async () => {
    const collection = new Collection();
    const [one, other] = ['{"n":1}\n{"n":2}\n', '{"n":1}\n{"n":3}\n'];
    await run(collection, one);
    await run(collection, other);
    await run(collection, one);
    assert.deepEqual(collection.rows, [1, 2, 1, 3]);
  });

  for (const dies of ['before the commit', 'after the commit'] as const) {
    it(`killed in every batch ${dies} and run again, holds each row once`, async () => {
      const collection = new Collection();
      collection.dies = dies;
      for (let kills = 0; kills < 5; kills += 1) {
        collection.lives = 1;
        await run(collection, lines(1, LARGE)).catch(() => {});
      }
      collection.lives = Number.POSITIVE_INFINITY;
      await run(collection, lines(1, LARGE));
      assert.deepEqual(collection.rows, numbers(1, LARGE));
    });
  }

  it('asked to stop, finishes the batch in hand and is gone on with by the next run', async () => {
    const collection = new Collection();
    const stop = new AbortController();
    const ingest = collection.ingest.bind(collection);
    collection.ingest = async (...batch) => {
      stop.abort('SIGINT');
      return ingest(...batch);
    };
    assert.deepEqual(await run(collection, lines(1, LARGE), stop), { kind: 'stopped', rows: CHUNK_LIMITS.rows });
    collection.ingest = ingest;
    assert.deepEqual(await run(collection, lines(1, LARGE)), {
      kind: 'complete',
      rows: LARGE - CHUNK_LIMITS.rows,
      resumed: true,
    });
    assert.deepEqual(collection.rows, numbers(1, LARGE));
  });
});

describe('a faulty line', () => {
  it('is told with its number, together with every other of its batch; nothing of the batch is kept', async () => {
    const collection = new Collection();
    const tooLong = `{"n":"${'x'.repeat(MAX_RECORD_BYTES)}"}`;
    const source = Buffer.concat([
      Buffer.from(`${lines(1, CHUNK_LIMITS.rows)}\n{"n":1001}\n{"n":}\n[1]\n{"n":"x"}\n`),
      Buffer.from([0x22, 0xff, 0x22, 0x0a]),
      Buffer.from(`${tooLong}\n{"n":1002}\n`),
    ]);
    const outcome = await run(collection, source);
    assert.ok(outcome.kind === 'faulty');
    assert.equal(outcome.rows, CHUNK_LIMITS.rows);
    assert.deepEqual([outcome.from, outcome.to], [CHUNK_LIMITS.rows + 2, CHUNK_LIMITS.rows + 8]);
    assert.deepEqual(
      outcome.faults.map(({ line, code }) => [line - CHUNK_LIMITS.rows, code]),
      [
        [3, 'REQUEST_BODY_MALFORMED'],
        [4, 'REQUEST_BODY_MALFORMED'],
        [5, 'ROW_INVALID'],
        [6, 'REQUEST_BODY_MALFORMED'],
        [7, 'REQUEST_BODY_TOO_LARGE'],
      ],
    );
    assert.deepEqual(outcome.faults[2]?.details, [{ field: 'n', message: 'must be a number' }]);
    assert.deepEqual(collection.rows, numbers(1, CHUNK_LIMITS.rows));
  });

  it('once corrected lets the import go on where its batch began', async () => {
    const collection = new Collection();
    await run(collection, `${lines(1, CHUNK_LIMITS.rows)}{"n":}\n`);
    assert.deepEqual(await run(collection, `${lines(1, CHUNK_LIMITS.rows)}{"n":1001}\n`), {
      kind: 'complete',
      rows: 1,
      resumed: true,
    });
    assert.deepEqual(collection.rows, numbers(1, CHUNK_LIMITS.rows + 1));
  });

  it('keeps its number after a resumption, also behind a last line without a line break', async () => {
    const collection = new Collection();
    await run(collection, '{"n":1}\n{"n":2}');
    const outcome = await run(collection, '{"n":1}\n{"n":2}\n\n{"n":}');
    assert.deepEqual(outcome.kind === 'faulty' && outcome.faults.map(({ line }) => line), [4]);
  });
});
