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

async function collectLines(
  bytes: Uint8Array,
  sizes: readonly number[] = [bytes.length],
  number = 1,
): Promise<RawRecord[]> {
  const lines: RawRecord[] = [];
  for await (const line of splitRecords(chunked(bytes, sizes), 'lines', number)) lines.push(line);
  return lines;
}

function text(lines: readonly RawRecord[]): readonly (string | null)[] {
  return lines.map(({ raw }) => (raw === null ? null : Buffer.from(recordContent(raw)).toString()));
}

describe('splitRecords', () => {
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
    it(`splits ${JSON.stringify(source)} into ${JSON.stringify(lines)}`, async () => {
      assert.deepEqual(text(await collectLines(Buffer.from(source))), lines);
    });
  }

  it('returns the same lines for any chunks, and together they are the file', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(0x61, 0xc3, 0x0a, 0x0d, 0x20), { maxLength: 60 }),
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 }),
        async (bytes, sizes) => {
          const source = Uint8Array.from(bytes);
          const lines = await collectLines(source, sizes);
          assert.deepEqual(text(lines), text(await collectLines(source)));
          const joined = Buffer.concat(lines.map(({ raw }) => raw ?? assert.fail('no line is too long')));
          assert.deepEqual([...joined], bytes);
        },
      ),
    );
  });

  it('numbers lines from the given number', async () => {
    const lines = await collectLines(Buffer.from('a\nb'), [1], 41);
    assert.deepEqual(
      lines.map(({ number }) => number),
      [41, 42],
    );
  });

  it('drops lines of more than 1 MiB, and no others', async () => {
    const long = 'x'.repeat(MAX_LINE + 1);
    const most = 'y'.repeat(MAX_LINE);
    const lines = await collectLines(Buffer.from(`a\n${long}\n${long}\r\n${most}\r\n${long}${long}\nb`), [65_536]);
    assert.deepEqual(text(lines), ['a', null, null, most, null, 'b']);
  });

  it('isBlank: only spaces and tabs', () => {
    assert.equal(isBlank(Buffer.from(' \t')), true);
    assert.equal(isBlank(Buffer.from(' {')), false);
  });
});

describe('splitLines', () => {
  async function bodyLines(bytes: Uint8Array, sizes: readonly number[] = [bytes.length]): Promise<RawRecord[]> {
    const lines: RawRecord[] = [];
    for await (const line of splitLines(chunked(bytes, sizes))) lines.push(line);
    return lines;
  }

  it('returns the lines of a file except empty ones, with the same numbers', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(0x61, 0x0a, 0x20), { maxLength: 60 }),
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 }),
        async (bytes, sizes) => {
          const source = Uint8Array.from(bytes);
          const expected = (await collectLines(source)).filter(
            ({ raw }) => raw !== null && recordContent(raw).length > 0,
          );
          const got = await bodyLines(source, sizes);
          assert.deepEqual(text(got), text(expected));
          assert.deepEqual(
            got.map(({ number }) => number),
            expected.map(({ number }) => number),
          );
        },
      ),
    );
  });

  it('[MET-13] refuses more than 1 MiB of empty lines in a row', async () => {
    const breaks = '\n'.repeat(MAX_LINE);
    assert.equal((await bodyLines(Buffer.from(`${breaks}a\n${breaks}b`), [65_536])).length, 2);
    await assert.rejects(bodyLines(Buffer.from(`a\n${breaks}\nb`), [65_536]), (error) => {
      return error instanceof ApiError && error.code === 'REQUEST_BODY_MALFORMED';
    });
  });
});
