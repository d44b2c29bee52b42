import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ApiError } from '../../src/conventions/errors.ts';
import { readMultipart } from '../../src/formats/multipart.ts';
import type { ObjectType } from '../../src/formats/typed-reader.ts';
import type { Member, ValueType } from '../../src/model/model.ts';
import { formPairs } from './form-writer.ts';
import { typedValue } from './typed-values.ts';
import { runs } from '../extent.ts';

const LIMITS = { depth: 5, items: 6 };
const TEXT: ValueType = { kind: 'text', format: null };
const optional = (name: string, type: ValueType): Member => ({ name, type, nullable: true, required: false });
const PRODUCT: ObjectType = {
  kind: 'object',
  members: [
    optional('name', TEXT),
    optional('stock', { kind: 'integer' }),
    optional('photo', { kind: 'binary', mediaType: null }),
    optional('tags', { kind: 'array', item: { type: TEXT, nullable: false } }),
    optional('photos', { kind: 'array', item: { type: { kind: 'binary', mediaType: null }, nullable: false } }),
  ],
};

/** A body of these parts: header fields and content of each. */
function body(
  parts: readonly (readonly [header: string, content: string | Uint8Array])[],
  end = '--b--\r\n',
): Uint8Array {
  const pieces = parts.flatMap(([header, content]) => [`--b\r\n${header}\r\n\r\n`, content, '\r\n']);
  return Buffer.concat([...pieces, end].map((piece) => Buffer.from(piece)));
}

function named(name: string, more = ''): string {
  return `Content-Disposition: form-data; name="${name}"${more}`;
}

function read(bytes: Uint8Array): Promise<unknown> {
  return readMultipart(bytes, 'b', PRODUCT, LIMITS);
}

describe('a multipart form', () => {
  it('[NEG-5] round-trips any value that a schema allows', async () => {
    await fc.assert(
      fc.asyncProperty(typedValue(), async ({ type, value }) => {
        const parts = formPairs(value, type).map(([name, held]) => {
          const quoted = named(
            name.replace(/["\r\n\\]/g, (each) =>
              each === '\\' ? '\\\\' : `%${each.charCodeAt(0).toString(16).padStart(2, '0')}`,
            ),
          );
          if (held !== null) return [quoted, held] as const;
          const [plain, json] = name.endsWith('[]')
            ? [quoted.replace('[]"', '"'), describeEmpty(value, name)]
            : [quoted, 'null'];
          return [`${plain}\r\nContent-Type: application/json`, json] as const;
        });
        assert.deepEqual(
          await readMultipart(body(parts), 'b', type, { depth: 32, items: 10_000 }),
          value,
          body(parts).toString(),
        );
      }),
      { numRuns: 300 },
    );
  });

  it('[NEG-5] reads texts, files for binary fields, and any JSON', async () => {
    const bytes = body([
      [named('name'), 'é\r\nx'],
      [named('stock'), '5'],
      [named('tags[]'), 'a'],
      [named('tags[]'), 'b'],
      [`${named('photo', '; filename="../a.png"')}\r\nContent-Type: image/png`, new Uint8Array([0, 255])],
    ]);
    assert.deepEqual(await read(bytes), { name: 'é\r\nx', stock: 5, tags: ['a', 'b'], photo: 'AP8=' });
    const json = body([[`${named('tags')}\r\nContent-Type: application/json; charset=utf-8`, '["x"]']]);
    assert.deepEqual(await read(json), { tags: ['x'] });
    const photos = body([1, 2].map((byte) => [named('photos', '; filename="p"'), new Uint8Array([byte])] as const));
    assert.deepEqual(await read(photos), { photos: ['AQ==', 'Ag=='] });
  });

  it('[NEG-5] keeps a byte order mark as a character of the text', async () => {
    assert.deepEqual(await read(body([[named('name'), '\ufeffa']])), { name: '\ufeffa' });
  });

  it('[NEG-5] reads an empty file input as unset, and an empty file as empty', async () => {
    assert.deepEqual(await read(body([[named('photo', '; filename=""'), '']])), { photo: null });
    assert.deepEqual(await read(body([[named('photo', '; filename="a.png"'), '']])), { photo: '' });
  });

  it('[NEG-5] accepts an empty form, a preamble and an epilogue', async () => {
    assert.deepEqual(await read(body([])), {});
    const whole = Buffer.concat([Buffer.from('preamble\r\n'), body([[named('name'), '']]), Buffer.from('epilogue')]);
    assert.deepEqual(await read(whole), { name: '' });
  });

  const refused: readonly (readonly [title: string, bytes: Uint8Array, says: RegExp])[] = [
    ['no bytes', new Uint8Array(), /closing boundary/],
    ['other bytes', Buffer.from('hello'), /closing boundary/],
    ['no closing boundary', body([[named('name'), 'a']], ''), /closing boundary/],
    ['a truncated part', Buffer.from(`--b\r\n${named('name')}\r\n\r\nabc`), /closing boundary/],
    ['a part without header', body([['', 'a']]), /Content-Disposition/],
    [
      'a part with an incomplete header',
      Buffer.from('--b\r\nContent-Disposition: form-data; name="name"\r\n--b--\r\n'),
      /Content-Disposition/,
    ],
    ['a part without name', body([['Content-Disposition: form-data', 'a']]), /with a name/],
    ['another disposition', body([['Content-Disposition: attachment; name="name"', 'a']]), /form-data with a name/],
    [
      'a file for another type of field',
      body([[named('name', '; filename="a.txt"'), 'a']]),
      /name: this field does not accept files/,
    ],
    [
      'bytes for a text field',
      body([[`${named('name')}\r\nContent-Type: application/octet-stream`, 'a']]),
      /name: this field does not accept files/,
    ],
    [
      'a nested multipart',
      body([[`${named('name')}\r\nContent-Type: multipart/mixed; boundary=c`, '--c--']]),
      /name: this field does not accept files/,
    ],
    [
      'text in another charset',
      body([[`${named('name')}\r\nContent-Type: text/plain; charset=iso-8859-1`, 'a']]),
      /UTF-8/,
    ],
    ['invalid UTF-8', body([[named('name'), new Uint8Array([255])]]), /UTF-8/],
    [
      'a transfer encoding',
      body([[`${named('name')}\r\nContent-Transfer-Encoding: base64`, 'YQ==']]),
      /transfer-encoded/,
    ],
    [
      'malformed JSON',
      body([[`${named('name')}\r\nContent-Type: application/json`, '{"a":1,"a":2}']]),
      /duplicate member/,
    ],
    ['too many parts', body(Array.from({ length: 7 }, () => [named('tags[]'), ''] as const)), /at most 6 parts/],
  ];
  for (const [title, bytes, says] of refused) {
    it(`[NEG-5] refuses ${title}`, async () => {
      await assert.rejects(
        read(bytes),
        (error) => error instanceof ApiError && error.status === 400 && says.test(error.message),
      );
    });
  }

  it('[LIM-1] refuses more than 1,000 parts, and more than 100 where the type has fewer values, before it parses them', async () => {
    const limits = { depth: 5, items: 10_000 };
    const flat: ObjectType = { kind: 'object', members: [optional('name', TEXT)] };
    const parts = (count: number, type: ObjectType): Promise<unknown> =>
      readMultipart(
        body(Array.from({ length: count }, (_, at) => [named(`tags[${at}]`), 'a'] as const)),
        'b',
        type,
        limits,
      );
    const says = (text: string) => (error: unknown) =>
      error instanceof ApiError && error.status === 400 && error.message.includes(text);
    assert.ok(await parts(1000, PRODUCT));
    await assert.rejects(parts(1001, PRODUCT), says('at most 1000 parts'));
    await parts(100, flat);
    await assert.rejects(parts(101, flat), says('at most 100 parts'));
  });

  it('[LIM-1] refuses 209,000 empty parts in little time', async () => {
    const limits = { depth: 5, items: 10_000 };
    const bytes = Buffer.from('--b\r\n'.repeat(209_000));
    const before = process.cpuUsage();
    await assert.rejects(readMultipart(bytes, 'b', PRODUCT, limits), /at most 1000 parts/);
    const { user, system } = process.cpuUsage(before);
    assert.ok(user + system < 200_000, `${user + system} us`);
  });

  it('[NEG-5] settles for any input', async () => {
    const piece = fc.constantFrom(
      '--b',
      '--b--',
      '\r\n',
      '-',
      named('name'),
      ':',
      '\r\n\r\n',
      'a',
      '\0',
      'Content-Type: x/y\r\n',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 12 }), async (pieces) => {
        await read(Buffer.from(pieces.join(''))).catch((error: unknown) =>
          assert.ok(error instanceof ApiError, String(error)),
        );
      }),
      { numRuns: runs(120, 2_000) },
    );
  });
});

/** Finds out if a form's name with empty brackets at its end is a list or an object. */
function describeEmpty(value: object, name: string): string {
  const keys = [...name.slice(0, -2).matchAll(/[^[\]]+/g)].map(([key]) => (key === '%' ? '' : decodeURIComponent(key)));
  const held = keys.reduce<unknown>(
    (at, key) => (typeof at === 'object' && at !== null ? Reflect.get(at, key) : at),
    value,
  );
  return Array.isArray(held) ? '[]' : '{}';
}
