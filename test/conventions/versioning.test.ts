import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ApiError } from '../../src/conventions/errors.ts';
import {
  type AcceptedVersion,
  parseVersion,
  resolveVersion,
  type VersionCarriers,
  versionsAgree,
  versionText,
} from '../../src/conventions/versioning.ts';
import { throwsApiError } from './throws-api-error.ts';

const version = (text: string) => {
  const [major = 0, minor = 0, patch = 0] = text.split('.').map(Number);
  return { major, minor, patch };
};
const SERVED = ['2.1.0', '1.4.2', '1.10.0', '1.4.1'].map(version);
const DEFAULT_MAJOR = 1;

const asked = (text: string) => parseVersion(text) ?? assert.fail(`${text} is no version`);
const accepts = (...texts: readonly (string | null)[]): readonly AcceptedVersion[] =>
  texts.map((text) =>
    text === null
      ? { text: 'application/json', version: null }
      : { text: `application/vnd.shop.v${text}+json`, version: asked(text) },
  );
const resolve = (carriers: Partial<VersionCarriers>) =>
  resolveVersion({ path: null, query: null, header: null, accept: [], ...carriers }, SERVED, DEFAULT_MAJOR);

describe('parseVersion', () => {
  const rows = [
    ['1', { major: 1, minor: null, patch: null }],
    ['0', { major: 0, minor: null, patch: null }],
    ['12.34', { major: 12, minor: 34, patch: null }],
    ['1.0.7', { major: 1, minor: 0, patch: 7 }],
  ] as const;
  for (const [text, parts] of rows) it(`[VER-2] parses ${text}`, () => assert.deepEqual(parseVersion(text), parts));

  for (const text of [
    '',
    'v1',
    '01',
    '1.',
    '.1',
    '1.02',
    '1.2.3.4',
    '1.2.x',
    '-1',
    '+1',
    ' 1',
    '1 ',
    '1,2',
    '1e1',
    '1'.repeat(10),
  ]) {
    it(`[VER-2] rejects ${JSON.stringify(text)}`, () => assert.equal(parseVersion(text), null));
  }

  it('[VER-2] reads what is written', () => {
    const part = fc.nat(999_999_999);
    const law = fc.property(part, fc.option(part), fc.option(part), (major, minor, patch) => {
      const written = { major, minor, patch: minor === null ? null : patch };
      assert.deepEqual(parseVersion(versionText(written)), written);
    });
    fc.assert(law);
  });
});

describe('versionsAgree', () => {
  const rows = [
    ['1', '1', true],
    ['1', '1.2', true],
    ['1.2', '1.2.3', true],
    ['1', '1.2.3', true],
    ['1', '2', false],
    ['1.2', '1.3', false],
    ['1.2.3', '1.2.4', false],
    ['2.2.3', '1', false],
  ] as const;
  for (const [one, other, agree] of rows) {
    it(`[VER-1] is ${agree} for ${one} and ${other}, either way round`, () => {
      assert.equal(versionsAgree(asked(one), asked(other)), agree);
      assert.equal(versionsAgree(asked(other), asked(one)), agree);
    });
  }
});

describe('resolveVersion', () => {
  const rows: readonly (readonly [
    title: string,
    carriers: Partial<VersionCarriers>,
    version: string,
    carrier: string,
    text: string | null,
  ])[] = [
    ['takes the latest of the default major without any carrier', {}, '1.10.0', 'none', null],
    ['takes the path', { path: 'v2' }, '2.1.0', 'path', 'v2'],
    ['takes the query', { query: '2' }, '2.1.0', 'query', '2'],
    ['takes the header', { header: '2.1' }, '2.1.0', 'header', '2.1'],
    ['takes Accept', { accept: accepts('2') }, '2.1.0', 'accept', 'application/vnd.shop.v2+json'],
    ['orders minors as numbers', { path: 'v1' }, '1.10.0', 'path', 'v1'],
    ['takes the latest patch of a minor', { header: '1.4' }, '1.4.2', 'header', '1.4'],
    ['takes the latest patch whichever is named', { query: '1.4.1' }, '1.4.2', 'query', '1.4.1'],
    ['takes the latest patch for a later one', { header: '1.4.3' }, '1.4.2', 'header', '1.4.3'],
    ['takes the latest minor for one below it that is not served', { query: '1.3' }, '1.10.0', 'query', '1.3'],
    [
      'takes the latest minor for one in Accept that is not served',
      { path: 'v1', accept: accepts('1.3') },
      '1.10.0',
      'path',
      'v1',
    ],
    ['takes the major from the path, the minor from the query', { path: 'v1', query: '1.4' }, '1.4.2', 'path', 'v1'],
    [
      'takes the major from the path, the minor from the header',
      { path: 'v1', header: '1.4.1' },
      '1.4.2',
      'path',
      'v1',
    ],
    [
      'takes the major from the path, the minor from Accept',
      { path: 'v1', accept: accepts('1.4') },
      '1.4.2',
      'path',
      'v1',
    ],
    [
      'uses the minor of the header with a major in Accept',
      { header: '1.4', accept: accepts('1') },
      '1.4.2',
      'header',
      '1.4',
    ],
    ['names the query before the header', { query: '1', header: '1.4' }, '1.4.2', 'query', '1'],
    [
      'skips unsupported versions in Accept',
      { accept: accepts('9', '2') },
      '2.1.0',
      'accept',
      'application/vnd.shop.v2+json',
    ],
    [
      'skips versions in Accept that conflict with the path',
      { path: 'v1', accept: accepts('2', '1.4') },
      '1.4.2',
      'path',
      'v1',
    ],
    ['takes a plain type where Accept prefers it', { accept: accepts(null, '2') }, '1.10.0', 'none', null],
    ['falls back on a plain type in Accept', { accept: accepts('9', null) }, '1.10.0', 'none', null],
    ['falls back on a plain type with a path', { path: 'v2', accept: accepts('1', null) }, '2.1.0', 'path', 'v2'],
  ];
  for (const [title, carriers, expected, carrier, text] of rows) {
    it(`[VER-1] [VER-2] ${title}`, () => {
      const resolved = resolve(carriers);
      assert.deepEqual(resolved, { version: version(expected), carrier, text });
    });
  }

  it('[VER-1] returns the given object of the version', () => {
    const contract = { major: 1, minor: 0, patch: 0, changes: [] };
    const none = { path: null, query: null, header: null, accept: [] };
    assert.equal(resolveVersion(none, [contract], 1).version, contract);
  });

  const refusals: readonly (readonly [
    title: string,
    carriers: Partial<VersionCarriers>,
    code: Parameters<typeof throwsApiError>[1],
  ])[] = [
    ['a path that is not supported', { path: 'v9' }, 'API_VERSION_NOT_FOUND'],
    ['a minor in the path, which would be a second URL', { path: 'v1.4' }, 'API_VERSION_NOT_FOUND'],
    ['a malformed path', { path: 'v01' }, 'API_VERSION_INVALID'],
    ['a query that is not supported', { query: '9' }, 'API_VERSION_UNSUPPORTED'],
    ['a minor above the latest', { query: '1.11' }, 'API_VERSION_UNSUPPORTED'],
    ['a patch of a minor above the latest', { header: '1.11.0' }, 'API_VERSION_UNSUPPORTED'],
    ['an empty query', { query: '' }, 'API_VERSION_INVALID'],
    ['a malformed header', { header: 'v1' }, 'API_VERSION_INVALID'],
    ['two header lines', { header: '1, 1' }, 'API_VERSION_INVALID'],
    ['an Accept that is not supported', { accept: accepts('9') }, 'REQUEST_NOT_ACCEPTABLE'],
    ['a minor in Accept above the latest', { path: 'v1', accept: accepts('1.11') }, 'REQUEST_NOT_ACCEPTABLE'],
    ['a path and a query that differ', { path: 'v1', query: '2' }, 'API_VERSION_CONFLICT'],
    ['a query and a header that differ in the minor', { query: '1.4', header: '1.10' }, 'API_VERSION_CONFLICT'],
    ['a path and an Accept that differ', { path: 'v1', accept: accepts('2') }, 'API_VERSION_CONFLICT'],
    ['two that differ, one of them unsupported', { path: 'v9', header: '1' }, 'API_VERSION_CONFLICT'],
    ['a malformed version and two that differ', { path: 'v1', query: '2', header: 'x' }, 'API_VERSION_INVALID'],
  ];
  for (const [title, carriers, code] of refusals) {
    it(`[VER-3a] rejects ${title}: ${code}`, () =>
      assert.ok(throwsApiError(() => resolve(carriers), code).message.endsWith('.')));
  }

  it('[VER-1] lists carrier and value of a conflict', () => {
    const carriers = { path: 'v1', query: '1.4', header: '2', accept: accepts('2.1', null) };
    assert.deepEqual(throwsApiError(() => resolve(carriers), 'API_VERSION_CONFLICT').details, [
      { field: 'path', message: 'requests v1' },
      { field: 'api_version', message: 'requests 1.4' },
      { field: 'API-Version', message: 'requests 2' },
      { field: 'Accept', message: 'requests application/vnd.shop.v2.1+json' },
    ]);
  });

  it('[VER-3a] lists the supported versions', () => {
    assert.match(
      throwsApiError(() => resolve({ header: '9' }), 'API_VERSION_UNSUPPORTED').message,
      /2\.1\.0, 1\.4\.2, 1\.10\.0, 1\.4\.1/,
    );
    assert.match(throwsApiError(() => resolve({ path: 'v9' }), 'API_VERSION_NOT_FOUND').message, /v2, v1\./);
  });

  it('[VER-1] never returns a version that a carrier excludes', () => {
    const text = fc.option(fc.constantFrom('1', '1.4', '1.4.1', '1.10', '2', '2.1.0', '9'));
    const law = fc.property(text, text, fc.option(fc.constantFrom('v1', 'v2', 'v9')), (query, header, path) => {
      try {
        const resolved = resolve({ query, header, path });
        for (const carrier of [query, header, path?.slice(1) ?? null]) {
          assert.ok(carrier === null || versionsAgree(resolved.version, { ...asked(carrier), patch: null }));
        }
      } catch (error) {
        assert.ok(error instanceof ApiError, String(error));
      }
    });
    fc.assert(law);
  });
});
