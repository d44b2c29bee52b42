import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type BodyRule, readContentEncoding, readContentType } from '../../src/conventions/body-type.ts';
import { ApiError } from '../../src/conventions/errors.ts';
import { refuses } from './refuses.ts';

const POST: BodyRule = { name: 'shop', version: { major: 1, minor: 2, patch: 3 }, takes: 'create' };
const PATCH: BodyRule = { ...POST, takes: 'patch' };

describe('readContentType', () => {
  const rows = [
    ['application/json', 'json', 'json'],
    ['Application/Json ; Charset="utf-8"', 'json', 'json'],
    ['application/json;charset=UTF-8', 'json', 'json'],
    ['application/json; odata=verbose', 'json', 'json'],
    ['application/vnd.shop.v1+json', 'json', 'json'],
    ['application/vnd.shop.v1.2+json', 'json', 'json'],
    ['application/vnd.shop.v1.2.3+json; charset=utf-8', 'json', 'json'],
    ['application/merge-patch+json', 415, 'merge-patch'],
    ['application/json-patch+json', 415, 'json-patch'],
    ['application/json-patch+json; charset=utf-8', 415, 'json-patch'],
    [null, 415, 415],
    ['', 415, 415],
    ['json', 415, 415],
    ['text/plain', 415, 415],
    ['text/json', 415, 415],
    ['*/*', 415, 415],
    ['application/problem+json', 415, 415],
    ['application/json, application/json', 415, 415],
    ['application/json;charset=iso-8859-1', 415, 415],
    ['application/json;charset="utf-16"', 415, 415],
    ['application/json;charset=utf-8;charset=utf-8', 415, 415],
    ['application/vnd.shop.v2+json', 415, 415],
    ['application/vnd.shop.v1.3+json', 415, 415],
    ['application/vnd.store.v1+json', 415, 415],
    ['application/vnd.shop.v1+xml', 'xml', 'xml'],
    ['application/xml; charset=UTF-8', 'xml', 'xml'],
    ['text/xml', 415, 415],
    ['application/x-www-form-urlencoded', 'form', 'form'],
    ['multipart/form-data; boundary="a b"', 'multipart', 'multipart'],
    ['multipart/form-data', 415, 415],
    ['multipart/form-data; boundary="a "', 415, 415],
    ['multipart/mixed; boundary=a', 415, 415],
    ['application/x-ndjson', 'ndjson', 415],
  ] as const;
  const outcome = (text: string | null, rule: BodyRule) => {
    try {
      return readContentType(text, rule).kind;
    } catch (error) {
      assert.ok(error instanceof ApiError);
      assert.equal(error.code, 'REQUEST_MEDIA_TYPE_UNSUPPORTED');
      return error.status;
    }
  };
  for (const [text, onPost, onPatch] of rows) {
    it(`[NEG-2] takes ${text ?? 'no type'} on POST as ${onPost}, on PATCH as ${onPatch}`, () => {
      assert.equal(outcome(text, POST), onPost);
      assert.equal(outcome(text, PATCH), onPatch);
    });
  }

  it('[NEG-2] says in Accept what is taken', () => {
    assert.deepEqual(refuses(() => readContentType('text/plain', POST), 'REQUEST_MEDIA_TYPE_UNSUPPORTED').headers, {
      Accept:
        'application/json, application/vnd.shop.v1+json, application/xml, application/vnd.shop.v1+xml, application/x-www-form-urlencoded, multipart/form-data, application/x-ndjson',
    });
  });

  it('[MET-3] says in Accept-Patch too what a PATCH takes', () => {
    const types =
      'application/merge-patch+json, application/json-patch+json, application/json, application/vnd.shop.v1+json, application/xml, application/vnd.shop.v1+xml, application/x-www-form-urlencoded, multipart/form-data';
    const error = refuses(() => readContentType('text/plain', PATCH), 'REQUEST_MEDIA_TYPE_UNSUPPORTED');
    assert.deepEqual(error.headers, { Accept: types, 'Accept-Patch': types });
  });
});

describe('readContentEncoding', () => {
  const rows = [
    [null, 'identity'],
    ['', 'identity'],
    ['identity', 'identity'],
    ['gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['x-gzip', 'gzip'],
    ['identity, gzip', 'gzip'],
  ] as const;
  for (const [text, coding] of rows) {
    it(`[NEG-2] reads ${text ?? 'no coding'} as ${coding}`, () => assert.equal(readContentEncoding(text), coding));
  }

  for (const text of ['br', 'deflate', 'gzip, gzip', 'gzip, br', 'gzip;q=1', '*']) {
    it(`[NEG-2] refuses ${text}, and says in Accept-Encoding what is taken`, () => {
      const error = refuses(() => readContentEncoding(text), 'REQUEST_ENCODING_UNSUPPORTED');
      assert.deepEqual(error.headers, { 'Accept-Encoding': 'gzip, identity' });
    });
  }
});
