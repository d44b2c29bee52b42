import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import {
  encodeSegment,
  isAsteriskForm,
  parseTarget as parse,
  pathOfTarget,
  type RequestTarget,
} from '../../../src/conventions/url/url.ts';
import { throwsApiError } from '../throws-api-error.ts';

const parseTarget = (target: string): RequestTarget => parse(target, 8_192);

describe('parseTarget', () => {
  const split: readonly (readonly [target: string, segments: readonly string[], query: string | null])[] = [
    ['/', [], null],
    ['/api/v1/products', ['api', 'v1', 'products'], null],
    ['/products/a%2Fb%40c%2Bd%23e%25f%20%C3%A9', ['products', 'a/b@c+d#e%f é'], null],
    ['/a%2fb', ['a/b'], null],
    ['/a+b', ['a+b'], null],
    ['/%252F', ['%2F'], null],
    ["/!$&'()*,;=:@-._~", ["!$&'()*,;=:@-._~"], null],
    ['/a?', ['a'], ''],
    ['/a?b=/c?d', ['a'], 'b=/c?d'],
    ['/?x[gte]=1', [], 'x[gte]=1'],
    ['/./a/%2E%2e/..', ['.', 'a', '..', '..'], null],
    ['/%EF%BB%BFa', ['\u{FEFF}a'], null],
    ['/%F0%9F%92%A9', ['💩'], null],
    ['/%0A%7F', ['\n\u{7F}'], null],
  ];
  for (const [target, segments, query] of split) {
    it(`[URL-3] splits ${target} on the slash before it decodes, once`, () => {
      const parsed = parseTarget(target);
      assert.deepEqual([parsed.segments, parsed.query, parsed.redirect], [segments, query, null]);
    });
  }

  const redirects: readonly (readonly [target: string, redirect: string])[] = [
    ['/a/', '/a'],
    ['/a//b', '/a/b'],
    ['//', '/'],
    ['///', '/'],
    ['/a/?x=1&y=%20', '/a?x=1&y=%20'],
    ['/a/?', '/a?'],
    ['//evil.example/x', '/evil.example/x'],
    ['///evil.example//x/', '/evil.example/x'],
    ['/%2Fevil.example/', '/%2Fevil.example'],
    ['/a%2f/', '/a%2f'],
    ['/%78', '/x'],
    ['/%61pi/v1/notes?%78=%78', '/api/v1/notes?%78=%78'],
    ['/a%2Db%2ec%5f%7E%30', '/a-b.c_~0'],
    ['/%61%2f%C3%A9%2541', '/a%2f%C3%A9%2541'],
    ['/%2E%2E/%61', '/%2E%2E/a'],
    ['//%65vil.example', '/evil.example'],
    ['http://evil.example//x', '/x'],
    ['http://evil.example//evil.example/', '/evil.example'],
  ];
  for (const [target, redirect] of redirects) {
    it(`[URL-1] redirects ${target} to ${redirect}`, () => assert.equal(parseTarget(target).redirect, redirect));
  }

  it('[URL-8] redirects to its own host only, and in one step', () => {
    const part = fc.constantFrom(
      '/',
      '//',
      'a',
      '..',
      '.',
      '%2F',
      '%5C',
      '%61',
      '%2e',
      '%2541',
      'example.com',
      '?',
      'http:',
    );
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const { redirect } = parseTarget(`/${parts.join('')}`);
        if (redirect === null) return;
        assert.match(redirect, /^\/(?!\/)/);
        assert.equal(parseTarget(redirect).redirect, null);
        assert.equal(new URL(redirect, 'http://self.test').host, 'self.test');
      }),
    );
  });

  const absolute: readonly (readonly [target: string, path: string, query: string | null])[] = [
    ['http://evil.example/a/b?c', '/a/b', 'c'],
    ['HTTPS://evil.example:8443/a', '/a', null],
    ['http://[::1]:3000/a', '/a', null],
    ['http://evil.example', '/', null],
    ['http://evil.example?c', '/', 'c'],
  ];
  for (const [target, path, query] of absolute) {
    it(`[URL-8] reads the path of ${target} and leaves its host`, () => {
      const parsed = parseTarget(target);
      assert.deepEqual([parsed.path, parsed.query, parsed.redirect], [path, query, null]);
    });
  }

  const refused: readonly (readonly [target: string, says: RegExp])[] = [
    ['/a%', /%25/],
    ['/a%2', /%25/],
    ['/a%zz', /%25/],
    ['/%ff', /UTF-8/],
    ['/%C0%AF', /UTF-8/],
    ['/%E0%80%AF', /UTF-8/],
    ['/%ED%A0%80', /UTF-8/],
    ['/%F4%90%80%80', /UTF-8/],
    ['/%C3', /UTF-8/],
    ['/a%00', /NUL/],
    ['/a\0', /NUL/],
    ['/a b', /space.*%20/],
    ['/a\tb', /%09/],
    ['/a\u{7F}', /%7F/],
    ['/a#b', /fragment.*%23/],
    ['/a?b#c', /fragment.*%23/],
    ['/caf\u{C3}\u{A9}', /%C3%A9/],
    ['/a?q=\u{E9}', /%C3%A9/],
    ['/a[0]', /%5B/],
    ['/a?b=[1', /%5B/],
    ['/a?b[]=1]', /%5D/],
    ...['<', '>', '"', '{', '}', '|', '\\', '^', '`'].flatMap((unsafe) => {
      const says = new RegExp(`%${unsafe.charCodeAt(0).toString(16).toUpperCase()}`);
      return [[`/a${unsafe}b`, says] as const, [`/a?b=${unsafe}`, says] as const];
    }),
    ['', /begins with \//],
    ['a/b', /begins with \//],
    ['*', /OPTIONS/],
    ['example.com:443', /begins with \//],
    ['ftp://example.com/a', /begins with \//],
    ['http:/a', /begins with \//],
    ['http://', /authority/],
    ['http:///a', /authority/],
    ['http://user@example.com/a', /authority/],
    ['http://example.com:99999/a', /authority/],
    ['http://exa mple/a', /authority/],
    ['http://example.com#f', /fragment/],
    ['http://example.com\n/a', /authority/],
  ];
  for (const [target, says] of refused) {
    it(`[URL-4] rejects ${JSON.stringify(target)} and says what to send: ${says.source}`, () => {
      assert.match(throwsApiError(() => parseTarget(target), 'REQUEST_URI_INVALID').message, says);
    });
  }

  it('[URL-4] admits raw exactly what RFC 3986 admits in a path or a query, and brackets in query names', () => {
    const visible = Array.from({ length: 0x100 }, (_, code) => String.fromCharCode(code));
    const accepted = (target: (character: string) => string) =>
      visible
        .filter((character) => {
          try {
            return parseTarget(target(character)).path !== '';
          } catch {
            return false;
          }
        })
        .join('');
    const pchar = "!$&'()*+,-./0123456789:;=@ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz~";
    const sorted = (text: string) => text.split('').toSorted().join('');
    assert.equal(sorted(accepted((character) => `/${character}`)), sorted(`${pchar}?`));
    assert.equal(sorted(accepted((character) => `/?a=${character}`)), sorted(`${pchar}?%`));
    assert.equal(sorted(accepted((character) => `/?${character}`)), sorted(`${pchar}?%[]`));
  });

  it('[URL-8] accepts 8,192 bytes of target and not one more', () => {
    assert.equal(parseTarget(`/${'a'.repeat(8191)}`).path.length, 8192);
    throwsApiError(() => parseTarget(`/${'a'.repeat(8192)}`), 'REQUEST_URI_TOO_LONG');
    throwsApiError(() => parse('/abc', 3), 'REQUEST_URI_TOO_LONG');
  });

  it('leaves * to OPTIONS', () => {
    assert.equal(isAsteriskForm('*'), true);
    assert.equal(isAsteriskForm('/*'), false);
  });
});

describe('pathOfTarget', () => {
  for (const [target, path] of [
    ['/a?api_key=secret', '/a'],
    ['/a#secret?b', '/a'],
    ['/a?x=1\nsecret', '/a'],
    ['http://user:secret@host/a?b', '/a'],
    ['HTTPS://secret@host', ''],
    ['user:secret@host:443', 'host:443'],
    ['//user:secret@host/a', '//user:secret@host/a'],
    ['*', '*'],
  ] as const) {
    it(`[OPS-2d] returns only the path of ${JSON.stringify(target)}`, () => assert.equal(pathOfTarget(target), path));
  }
});

describe('encodeSegment', () => {
  it('[URL-9] encodes each byte but the unreserved, in upper-case hexadecimal', () => {
    for (let code = 1; code < 0x80; code += 1) {
      const character = String.fromCharCode(code);
      const escape = `%${code.toString(16).toUpperCase().padStart(2, '0')}`;
      assert.equal(encodeSegment(character), /[A-Za-z0-9_.~-]/.test(character) ? character : escape);
    }
    assert.equal(encodeSegment('é 💩'), '%C3%A9%20%F0%9F%92%A9');
  });

  it('[URL-3] gives any text back as one segment', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 255 }), (text) => {
        fc.pre(!text.includes('\0'));
        assert.deepEqual(parseTarget(`/a/${encodeSegment(text)}`).segments, ['a', text]);
      }),
    );
  });
});
