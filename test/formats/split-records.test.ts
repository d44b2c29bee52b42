import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { ApiError } from '../../src/conventions/errors.ts';
import {
  recordContent,
  isBlank,
  type RawRecord,
  MAX_LINE,
  splitLines,
  splitRecords,
} from '../../src/formats/split-records.ts';

async function* chunked(bytes: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  let start = 0;
  for (let index = 0; start < bytes.length; index += 1) {
    const size = sizes[index % sizes.length] ?? bytes.length;
    yield bytes.subarray(start, start + size);
    start += size;
  }
}

async function linesOf(bytes: Uint8Array, sizes: readonly number[] = [bytes.length], number = 1): Promise<RawRecord[]> {
  const lines: RawRecord[] = [];
  for await (const line of splitRecords(chunked(bytes, sizes), 'lines', number)) lines.push(line);
  return lines;
}

function text(lines: readonly RawRecord[]): readonly (string | null)[] {
  return lines.map(({ raw }) => (raw === null ? null : Buffer.from(recordContent(raw)).toString()));
}

describe('lines of a file', () => {
  const rows: readonly [source: string, lines: readonly string[]][] = [
    ['', []],
    ['a', ['a']],
    ['a\n', ['a']],
    ['a\nb', ['a', 'b']],
    ['a\r\nb\r\n', ['a', 'b']],
    ['\n\n', ['', '']],
    ['\u{feff}a\nb', ['a', 'b']],
    ['a\rb\n', ['a\rb']],
  ];
  for (const [source, lines] of rows) {
    it(`of ${JSON.stringify(source)} are ${JSON.stringify(lines)}`, async () => {
      assert.deepEqual(text(await linesOf(Buffer.from(source))), lines);
    });
  }

  it('are the same however the file is read, and together they are the file', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(0x61, 0xc3, 0x0a, 0x0d, 0x20), { maxLength: 60 }),
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 }),
        async (bytes, sizes) => {
          const source = Uint8Array.from(bytes);
          const lines = await linesOf(source, sizes);
          assert.deepEqual(text(lines), text(await linesOf(source)));
          const joined = Buffer.concat(lines.map(({ raw }) => raw ?? assert.fail('no line is too long')));
          assert.deepEqual([...joined], bytes);
        },
      ),
    );
  });

  it('are numbered from the number given', async () => {
    const lines = await linesOf(Buffer.from('a\nb'), [1], 41);
    assert.deepEqual(
      lines.map(({ number }) => number),
      [41, 42],
    );
  });

  it('beyond 1 MiB are not kept, and disturb no other line', async () => {
    const long = 'x'.repeat(MAX_LINE + 1);
    const most = 'y'.repeat(MAX_LINE);
    const lines = await linesOf(Buffer.from(`a\n${long}\n${long}\r\n${most}\r\n${long}${long}\nb`), [65_536]);
    assert.deepEqual(text(lines), ['a', null, null, most, null, 'b']);
  });

  it('are blank when they hold only spaces and tabs', () => {
    assert.equal(isBlank(Buffer.from(' \t')), true);
    assert.equal(isBlank(Buffer.from(' {')), false);
  });
});

describe('lines of a body', () => {
  async function bodyLines(bytes: Uint8Array, sizes: readonly number[] = [bytes.length]): Promise<RawRecord[]> {
    const lines: RawRecord[] = [];
    for await (const line of splitLines(chunked(bytes, sizes))) lines.push(line);
    return lines;
  }

  it('are those of a file without the empty ones, with the numbers that they have there', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(0x61, 0x0a, 0x20), { maxLength: 60 }),
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 }),
        async (bytes, sizes) => {
          const source = Uint8Array.from(bytes);
          const told = (await linesOf(source)).filter(({ raw }) => raw !== null && recordContent(raw).length > 0);
          const got = await bodyLines(source, sizes);
          assert.deepEqual(text(got), text(told));
          assert.deepEqual(
            got.map(({ number }) => number),
            told.map(({ number }) => number),
          );
        },
      ),
    );
  });

  it('[MET-13] are refused where more than 1 MiB of them in a row are empty', async () => {
    const breaks = '\n'.repeat(MAX_LINE);
    assert.equal((await bodyLines(Buffer.from(`${breaks}a\n${breaks}b`), [65_536])).length, 2);
    await assert.rejects(bodyLines(Buffer.from(`a\n${breaks}\nb`), [65_536]), (error) => {
      return error instanceof ApiError && error.code === 'REQUEST_BODY_MALFORMED';
    });
  });
});
