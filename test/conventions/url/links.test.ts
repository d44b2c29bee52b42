import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { joinPath, linkField, MAX_LINK_FIELD } from '../../../src/conventions/url/links.ts';

describe('linkField', () => {
  it('[PAGE-2] writes typed links as RFC 8288 does', () => {
    const links = [
      { rel: 'next', href: '/api/v1/products?after=x,y' },
      { rel: 'canonical', href: 'https://h/a' },
    ];
    assert.equal(linkField(links), '</api/v1/products?after=x,y>; rel="next", <https://h/a>; rel="canonical"');
    assert.equal(linkField([]), '');
  });

  it('[PAGE-2] leaves out a field over 4 KiB', () => {
    const around = '<>; rel="n"'.length;
    assert.equal(linkField([{ rel: 'n', href: 'a'.repeat(MAX_LINK_FIELD - around) }]).length, 4096);
    assert.equal(linkField([{ rel: 'n', href: 'a'.repeat(MAX_LINK_FIELD - around + 1) }]), '');
  });
});

describe('joinPath', () => {
  const rows: readonly (readonly [base: string, segments: readonly string[], url: string])[] = [
    ['/api/v1', ['products', 'a/b@c+d#e%f é'], '/api/v1/products/a%2Fb%40c%2Bd%23e%25f%20%C3%A9'],
    ['https://h/api', ['x'], 'https://h/api/x'],
    ['/', ['x'], '/x'],
    ['', ['x', 'y'], '/x/y'],
    ['/api', [], '/api'],
    ['/', [], '/'],
  ];
  for (const [base, segments, url] of rows) {
    it(`[URL-9] writes ${url}`, () => assert.equal(joinPath(base, ...segments), url));
  }
});
