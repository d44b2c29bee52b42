import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { essence, parseMediaType, vendorType } from '../../../src/conventions/media/media-type.ts';

describe('parseMediaType', () => {
  const rows: readonly (readonly [text: string, essence: string, parameters: Readonly<Record<string, string>>])[] = [
    ['application/json', 'application/json', {}],
    ['Application/JSON', 'application/json', {}],
    [' text/plain ', 'text/plain', {}],
    ['text/html;charset=utf-8', 'text/html', { charset: 'utf-8' }],
    ['text/html; Charset="UTF-8"', 'text/html', { charset: 'UTF-8' }],
    ['text/html ;charset=utf-8 ; level=1', 'text/html', { charset: 'utf-8', level: '1' }],
    ['text/html;', 'text/html', {}],
    ['text/html;; ;level=1;', 'text/html', { level: '1' }],
    ['multipart/form-data; boundary="a, b; c=\\"d\\\\"', 'multipart/form-data', { boundary: 'a, b; c="d\\' }],
    ['application/vnd.shop.v1.2+json', 'application/vnd.shop.v1.2+json', {}],
  ];
  for (const [text, name, parameters] of rows) {
    it(`[NEG-2] parses ${text}`, () => {
      const mediaType = parseMediaType(text);
      assert.ok(mediaType);
      assert.equal(essence(mediaType), name);
      assert.deepEqual(Object.fromEntries(mediaType.parameters), parameters);
    });
  }

  const invalid = [
    '',
    'json',
    'application/',
    '/json',
    'application /json',
    'application/json, text/plain',
    'text/html;charset',
    'text/html;charset=',
    'text/html;charset =utf-8',
    'text/html;charset= utf-8',
    'text/html;charset="utf-8',
    'text/html;charset="a\u0000"',
    'text/html;charset=utf-8;CHARSET=utf-8',
  ];
  for (const text of invalid)
    it(`[NEG-2] rejects ${JSON.stringify(text)}`, () => assert.equal(parseMediaType(text), null));

  it('[LIM-1] reads a header-sized value of open quotes and white space in linear time', () => {
    assert.equal(parseMediaType(`a/b${';a="\\"'.repeat(3000)}`), null);
    assert.equal(parseMediaType(`a/b${';   '.repeat(4000)}=`), null);
  });
});

describe('vendorType', () => {
  const read = (text: string) => {
    const mediaType = parseMediaType(text);
    assert.ok(mediaType);
    return vendorType(mediaType, 'shop');
  };

  const rows = [
    ['application/vnd.shop.v1+json', { major: 1, minor: null, patch: null }],
    ['application/vnd.shop.v1.2+json', { major: 1, minor: 2, patch: null }],
    ['application/vnd.shop.v1.2.3+json', { major: 1, minor: 2, patch: 3 }],
    ['APPLICATION/VND.SHOP.V12+JSON', { major: 12, minor: null, patch: null }],
  ] as const;
  for (const [text, version] of rows) {
    it(`[VER-1] finds the version in ${text}`, () => assert.deepEqual(read(text), { version, suffix: 'json' }));
  }

  it('[VER-1] returns the suffix', () => assert.equal(read('application/vnd.shop.v1+xml')?.suffix, 'xml'));

  for (const text of [
    'application/json',
    'text/vnd.shop.v1+json',
    'application/vnd.store.v1+json',
    'application/vnd.shop.v1',
    'application/vnd.shop+json',
    'application/vnd.shop.1+json',
    'application/vnd.shop.v01+json',
    'application/vnd.shop.v1.+json',
    'application/vnd.shop.v1.2.3.4+json',
    'application/vnd.shop.x.v1+json',
  ]) {
    it(`[VER-1] finds none in ${text}`, () => assert.equal(read(text), null));
  }
});
