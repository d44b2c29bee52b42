import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  ACCEPT_QUERY,
  type BodyRule,
  type BodyUse,
  bodyTypes,
  readContentEncoding,
  readContentType,
} from '../../../src/conventions/media/body-type.ts';
import { ApiError } from '../../../src/conventions/errors.ts';
import { throwsApiError } from '../throws-api-error.ts';

const POST: BodyRule = { name: 'shop', version: { major: 1, minor: 2, patch: 3 }, use: 'create' };
const PATCH: BodyRule = { ...POST, use: 'patch' };

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
    it(`[NEG-2] accepts ${text ?? 'no type'} on POST as ${onPost}, on PATCH as ${onPatch}`, () => {
      assert.equal(outcome(text, POST), onPost);
      assert.equal(outcome(text, PATCH), onPatch);
    });
  }

  it('[NEG-2] lists the accepted types in Accept', () => {
    assert.deepEqual(
      throwsApiError(() => readContentType('text/plain', POST), 'REQUEST_MEDIA_TYPE_UNSUPPORTED').headers,
      {
        Accept:
          'application/json, application/vnd.shop.v1+json, application/xml, application/vnd.shop.v1+xml, application/x-www-form-urlencoded, multipart/form-data, application/x-ndjson',
      },
    );
  });

  it('[MET-3] lists the types of a PATCH in Accept-Patch too', () => {
    const types =
      'application/merge-patch+json, application/json-patch+json, application/json, application/vnd.shop.v1+json, application/xml, application/vnd.shop.v1+xml, application/x-www-form-urlencoded, multipart/form-data';
    const error = throwsApiError(() => readContentType('text/plain', PATCH), 'REQUEST_MEDIA_TYPE_UNSUPPORTED');
    assert.deepEqual(error.headers, { Accept: types, 'Accept-Patch': types });
  });
});

describe('readContentType, by the use of the body', () => {
  const ALL = ['create', 'replace', 'patch', 'query', 'batch'] as const satisfies readonly BodyUse[];
  const rows: readonly (readonly [type: string, taken: readonly BodyUse[]])[] = [
    ['application/json', ['create', 'replace', 'patch', 'batch']],
    ['application/json; charset=utf-8', ['create', 'replace', 'patch', 'batch']],
    ['application/vnd.shop.v1.2+json', ['create', 'replace', 'patch', 'batch']],
    ['application/merge-patch+json', ['patch']],
    ['application/json-patch+json', ['patch']],
    ['application/xml', ['create', 'replace', 'patch']],
    ['application/vnd.shop.v1+xml', ['create', 'replace', 'patch']],
    ['application/x-www-form-urlencoded', ['create', 'replace', 'patch', 'query']],
    ['application/x-www-form-urlencoded; charset=UTF-8', ['create', 'replace', 'patch', 'query']],
    ['multipart/form-data; boundary=a', ['create', 'replace', 'patch']],
    ['application/x-ndjson', ['create']],
    ['application/vnd.shop.v1+csv', []],
    ['text/csv', []],
  ];
  for (const [type, taken] of rows) {
    it(`[NEG-2] accepts ${type} for ${taken.join(', ') || 'nothing'}`, () => {
      for (const takes of ALL) {
        const read = () => readContentType(type, { ...POST, use: takes });
        if (taken.includes(takes)) read();
        else throwsApiError(read, 'REQUEST_MEDIA_TYPE_UNSUPPORTED');
      }
    });
  }

  it('[MET-9] rejects a QUERY without a type as invalid, and one of another type as unsupported', () => {
    const query: BodyRule = { ...POST, use: 'query' };
    const untyped = throwsApiError(() => readContentType(null, query), 'REQUEST_HEADER_INVALID');
    assert.deepEqual(untyped.details, [{ field: 'Content-Type', message: 'is required' }]);
    assert.match(untyped.message, /application\/x-www-form-urlencoded/);
    const other = throwsApiError(() => readContentType('application/json', query), 'REQUEST_MEDIA_TYPE_UNSUPPORTED');
    assert.deepEqual(other.headers, {
      Accept: 'application/x-www-form-urlencoded',
      'Accept-Query': 'application/x-www-form-urlencoded',
    });
  });

  it('[MET-5] lists the accepted types of each use, the preferred first', () => {
    const listed = (takes: BodyUse) => bodyTypes({ ...POST, use: takes });
    assert.equal(listed('batch'), 'application/json, application/vnd.shop.v1+json');
    assert.equal(listed('query'), 'application/x-www-form-urlencoded');
    assert.equal(`${listed('replace')}, application/x-ndjson`, listed('create'));
    assert.match(
      listed('patch'),
      /^application\/merge-patch\+json, application\/json-patch\+json, application\/json, /,
    );
  });
});

describe('readContentType of multipart/form-data', () => {
  const longest = 'b'.repeat(70);
  const rows: readonly (readonly [parameter: string, boundary: string | null])[] = [
    ['boundary=----WebKitFormBoundary7MA4YWxkTrZu0gW', '----WebKitFormBoundary7MA4YWxkTrZu0gW'],
    ['Boundary="a b"', 'a b'],
    [`boundary="0'()+_,-./:=?z"`, `0'()+_,-./:=?z`],
    ['charset=utf-8; boundary=a', 'a'],
    [`boundary=${longest}`, longest],
    [`boundary=${longest}b`, null],
    ['boundary=""', null],
    ['boundary=" "', null],
    ['boundary="a "', null],
    ['boundary="a\tb"', null],
    ['boundary="a;b"', null],
    ['boundary="a\\"b"', null],
    ['boundary="é"', null],
    ['boundary=a*b', null],
    ['boundary=a; boundary=a', null],
    ['boundary=a; charset=iso-8859-1', null],
    ['charset=utf-8', null],
  ];
  for (const [parameter, boundary] of rows) {
    it(`[NEG-2] ${boundary === null ? 'rejects' : 'accepts'} ${JSON.stringify(parameter).slice(0, 60)}`, () => {
      const read = () => readContentType(`multipart/form-data; ${parameter}`, POST);
      if (boundary === null) throwsApiError(read, 'REQUEST_MEDIA_TYPE_UNSUPPORTED');
      else assert.deepEqual(read(), { kind: 'multipart', boundary });
    });
  }
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
    it(`[NEG-2] parses ${text ?? 'no coding'} as ${coding}`, () => assert.equal(readContentEncoding(text), coding));
  }

  for (const text of ['br', 'deflate', 'gzip, gzip', 'gzip, br', 'gzip;q=1', '*']) {
    it(`[NEG-2] rejects ${text}, and lists the accepted codings in Accept-Encoding`, () => {
      const error = throwsApiError(() => readContentEncoding(text), 'REQUEST_ENCODING_UNSUPPORTED');
      assert.deepEqual(error.headers, { 'Accept-Encoding': 'gzip, identity' });
    });
  }
});

describe('ACCEPT_QUERY', () => {
  /** A token of structured fields (RFC 9651 3.3.4). */
  const TOKEN = /^[A-Za-z*][!#$%&'*+.^_`|~0-9A-Za-z:/-]*$/;

  it('[MET-5] is a list of structured fields', () => {
    for (const member of ACCEPT_QUERY.split(', ')) assert.match(member, TOKEN);
  });

  it('[MET-9] is the type that a QUERY accepts', () => {
    const version = { major: 1, minor: 0, patch: 0 };
    assert.equal(ACCEPT_QUERY, bodyTypes({ name: 'shop', version, use: 'query' }));
  });
});
