import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type DataPart, MalformedData, splitCollections } from '../../src/formats/split-collections.ts';
import { runs } from '../extent.ts';

async function* chunks(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function split(text: string, size = 7, max = 1_000): Promise<readonly DataPart[]> {
  const parts: DataPart[] = [];
  for await (const part of splitCollections(chunks(new TextEncoder().encode(text), size), max)) parts.push(part);
  return parts;
}

const decoder = new TextDecoder();

/** The parts as `collection: JSON`, without lists. */
function values(parts: readonly DataPart[]): readonly string[] {
  return parts
    .filter(({ kind }) => kind !== 'list')
    .map(({ collection, raw }) => `${collection}: ${decoder.decode(raw)}`);
}

describe('splitting a JSON text into collections', () => {
  it('gives the items of an object of arrays, and of an array, whatever the chunks are', async () => {
    const data = fc.dictionary(fc.string(), fc.oneof(fc.array(fc.jsonValue()), fc.object()), { noNullPrototype: true });
    const space = fc.constantFrom(undefined, 2, '\t');
    await fc.assert(
      fc.asyncProperty(data, space, fc.integer({ min: 1, max: 40 }), async (object, indent, size) => {
        const text = JSON.stringify(object, null, indent);
        const expected = Object.entries(JSON.parse(text)).flatMap(([name, value]) =>
          (Array.isArray(value) ? value : [value]).map((item) => [name, item]),
        );
        const parts = (await split(text, size, 1e6)).filter(({ kind }) => kind !== 'list');
        assert.deepEqual(
          parts.map(({ collection, raw }) => [collection, JSON.parse(decoder.decode(raw))]),
          expected,
        );
      }),
      { numRuns: runs(60, 400) },
    );
    assert.deepEqual(values(await split('\uFEFF [ {"a": "]}"},\n5 ] ')), ['null: {"a": "]}"}', 'null: 5']);
  });

  it('counts lines', async () => {
    const parts = await split('{\n"a": [\n{\n"b": 1},\n{}\n],\n"c": {}}');
    assert.deepEqual(
      parts.map(({ kind, line }) => `${kind} ${line}`),
      ['list 2', 'item 3', 'item 5', 'value 7'],
    );
  });

  const errors: readonly [text: string, line: number, message: RegExp][] = [
    ['', 1, /ends too early/],
    ['5', 1, /must be an array or an object of arrays/],
    ['[\n{}\n{}]', 3, /comma or \]/],
    ['[{},]', 1, /expected a row/],
    ['[{}]\n[', 2, /after the end/],
    ['{"a": []', 1, /ends too early/],
    ['{"a" []}', 1, /colon/],
    ['{a: []}', 1, /double quotes/],
    ['{"a": []\n"b": []}', 2, /comma or \}/],
    ['{"\\x": []}', 1, /not valid JSON/],
    ['[,]', 1, /expected a value/],
    ['[{"a": "never closed', 1, /ends too early/],
    [`[{}, "${'x'.repeat(1_000)}"]`, 1, /longer than 1000 bytes/],
  ];
  for (const [text, line, message] of errors) {
    it(`refuses ${JSON.stringify(text.slice(0, 30))} with its line`, async () => {
      await assert.rejects(
        split(text),
        (error) => error instanceof MalformedData && error.line === line && message.test(error.message),
      );
    });
  }
});
