import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { essence } from '../../../src/conventions/media/media-type.ts';
import {
  negotiate,
  notAcceptable,
  type Offer,
  parseAccept,
  vendorOffers,
  vendorRanges,
} from '../../../src/conventions/media/negotiation.ts';
import { versionText } from '../../../src/conventions/versioning.ts';
import { throwsApiError } from '../throws-api-error.ts';

const JSON_TYPE: Offer = { type: 'application', subtype: 'json' };
const PROBLEM: Offer = { type: 'application', subtype: 'problem+json' };
const CSV: Offer = { type: 'text', subtype: 'csv' };
const LEVEL: Offer = { type: 'text', subtype: 'markdown', parameters: new Map([['level', '1']]) };
const VENDOR = vendorOffers('shop', { major: 1, minor: 2, patch: 3 });
const OFFERS = [JSON_TYPE, ...VENDOR, PROBLEM, CSV, LEVEL];

const chosen = (accept: string | null, offers: readonly Offer[] = OFFERS) => {
  const offer = negotiate(parseAccept(accept), offers);
  return offer === null ? null : essence(offer);
};

describe('negotiate', () => {
  const rows: readonly (readonly [accept: string | null, chosen: string | null])[] = [
    [null, 'application/json'],
    ['', 'application/json'],
    [' , ,', 'application/json'],
    ['*/*', 'application/json'],
    ['application/*', 'application/json'],
    ['text/*', 'text/csv'],
    ['application/json', 'application/json'],
    ['APPLICATION/JSON', 'application/json'],
    ['text/csv', 'text/csv'],
    ['text/csv,application/json', 'application/json'],
    ['application/json;q=0.5, text/csv', 'text/csv'],
    ['application/json;q=0.5,text/csv;q=0.501', 'text/csv'],
    ['application/json;Q=0.5,text/csv;q=0.501', 'text/csv'],
    ['text/html, */*;q=0.1', 'application/json'],
    ['*/*;q=0.1, text/csv;q=0.2', 'text/csv'],
    // The most specific range decides, even with a smaller weight (RFC 9110 12.5.1).
    ['*/*, application/json;q=0.1, application/*;q=0.2', 'text/csv'],
    ['application/json;q=0, */*', 'application/vnd.shop.v1+json'],
    ['application/*;q=0, */*;q=0.5', 'text/csv'],
    ['application/json;q=0', null],
    ['*/*;q=0', null],
    ['text/html', 'application/json'],
    ['text/html;q=0', null],
    ['application/json;q=0, text/html', null],
    ['image/png, image/*', null],
    ['application/vnd.shop.v1+json', 'application/vnd.shop.v1+json'],
    ['application/vnd.shop.v1.2+json', 'application/vnd.shop.v1.2+json'],
    ['application/vnd.shop.v1.2.3+json', 'application/vnd.shop.v1.2.3+json'],
    ['application/vnd.shop.v2+json', null],
    ['application/problem+json, application/json;q=0.9', 'application/problem+json'],
    // UTF-8 is the only charset, so it matches; any other parameter does not.
    ['application/json;charset=utf-8', 'application/json'],
    ['application/json; charset="UTF-8"', 'application/json'],
    ['application/json;charset=iso-8859-1', null],
    ['application/json;version=2', null],
    ['application/json;version=2, */*;q=0.1', 'application/json'],
    ['application/json;x="a, b;q=0", text/csv', 'text/csv'],
    ['text/markdown;level=1', 'text/markdown'],
    ['text/markdown;level=2', null],
    ['text/markdown;level=1;q=0.4, text/markdown;q=0.7, */*;q=0.1, application/json;q=0.5', 'application/json'],
    ['application/json;q=0.2, application/json;q=0.9, text/csv;q=0.5', 'application/json'],
    // The default of java.net.HttpURLConnection.
    ['text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2', 'application/json'],
  ];
  for (const [accept, expected] of rows) {
    it(`[NEG-1] answers ${accept ?? 'no Accept'} with ${expected ?? 'nothing'}`, () =>
      assert.equal(chosen(accept), expected));
  }

  it('[NEG-1] returns null without offers', () => assert.equal(chosen('*/*', []), null));

  it('[NEG-1] never chooses an offer of less weight, nor an excluded one', () => {
    const quality = fc.integer({ min: 0, max: 1000 });
    const law = fc.property(quality, quality, (json, csv) => {
      const found = chosen(`application/json;q=${json / 1000}, text/csv;q=${csv / 1000}`, [JSON_TYPE, CSV]);
      if (json === 0 && csv === 0) assert.equal(found, null);
      else assert.equal(found, json >= csv ? 'application/json' : 'text/csv');
    });
    fc.assert(law);
  });
});

describe('parseAccept', () => {
  for (const text of [
    'json',
    'application/json;q=1.1',
    'application/json;q=-1',
    'application/json;q=0.1234',
    'application/json;q=1.001',
    'application/json;q=',
    'application/json;q=high',
    'application/json;q=.',
    'application/json;q=0.1;q=0.2',
    'application/json text/csv',
    'application/json; x="open',
    '*/json',
    '**',
  ]) {
    it(`[NEG-1] rejects ${text}`, () =>
      assert.equal(throwsApiError(() => parseAccept(text), 'REQUEST_HEADER_INVALID').details[0]?.field, 'Accept'));
  }
});

describe('vendorRanges', () => {
  const versions = (accept: string | null) =>
    vendorRanges(parseAccept(accept), 'shop').map(({ version }) => (version === null ? 'any' : versionText(version)));

  const rows: readonly (readonly [accept: string | null, versions: readonly string[]])[] = [
    [null, []],
    ['*/*', []],
    ['application/json, text/csv', []],
    ['application/vnd.store.v1+json', []],
    ['application/vnd.shop.v1+json', ['1']],
    ['application/vnd.shop.v1+json;q=0', []],
    ['application/vnd.shop.v1+json;q=0.5, application/vnd.shop.v1.2+json', ['1.2', '1']],
    ['application/vnd.shop.v1+json, */*;q=0.1', ['1', 'any']],
    ['application/vnd.shop.v1+json;q=0.1, application/json', ['any', '1']],
    ['application/json, application/vnd.shop.v1+json', ['1', 'any']],
    ['application/vnd.shop.v1+json, text/html', ['1']],
    ['application/vnd.shop.v1+json, application/json;q=0, */*', ['1']],
  ];
  for (const [accept, expected] of rows) {
    it(`[VER-1] finds ${expected.join(' then ') || 'none'} in ${accept ?? 'no Accept'}`, () =>
      assert.deepEqual(versions(accept), expected));
  }
});

describe('notAcceptable', () => {
  it('[NEG-1] lists the offers', () => {
    const error = notAcceptable([JSON_TYPE, CSV]);
    assert.equal(error.status, 406);
    assert.match(error.message, /application\/json, text\/csv/);
  });
});
