import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ResponseFormat, formatOffers, plainOffers } from '../../../src/conventions/media/response-format.ts';
import { parseMediaType } from '../../../src/conventions/media/media-type.ts';
import { negotiate, parseAccept, vendorRanges } from '../../../src/conventions/media/negotiation.ts';
import { versionText } from '../../../src/conventions/versioning.ts';

const FORMATS: readonly ResponseFormat[] = ['json', 'xml', 'text', 'csv', 'ndjson'];
const VERSION = { major: 1, minor: 2, patch: 3 };
const COLLECTION = formatOffers('shop', VERSION, FORMATS);
const ITEM = formatOffers('shop', VERSION, ['json', 'xml', 'text']);

describe('formatOffers', () => {
  it('[NEG-1] offers every format, JSON first, then JSON and XML in each spelling of the version', () => {
    assert.deepEqual(
      COLLECTION.map(({ format, contentType }) => [format, contentType]),
      [
        ['json', 'application/json'],
        ['xml', 'application/xml'],
        ['text', 'text/plain; charset=utf-8'],
        ['csv', 'text/csv; charset=utf-8; header=present'],
        ['ndjson', 'application/x-ndjson'],
        ['json', 'application/vnd.shop.v1+json'],
        ['json', 'application/vnd.shop.v1.2+json'],
        ['json', 'application/vnd.shop.v1.2.3+json'],
        ['xml', 'application/vnd.shop.v1+xml'],
        ['xml', 'application/vnd.shop.v1.2+xml'],
        ['xml', 'application/vnd.shop.v1.2.3+xml'],
      ],
    );
  });

  it('[NEG-1] has the chosen type as Content-Type', () => {
    for (const { type, subtype, parameters, contentType } of COLLECTION) {
      const labelled = parseMediaType(contentType);
      assert.ok(labelled);
      assert.deepEqual([labelled.type, labelled.subtype], [type, subtype]);
      for (const [name, value] of parameters ?? []) assert.equal(labelled.parameters.get(name), value);
    }
  });

  it('[NEG-1] offers only the formats of the route', () => {
    assert.deepEqual(
      formatOffers('shop', VERSION, ['ndjson']).map(({ contentType }) => contentType),
      ['application/x-ndjson'],
    );
  });

  const rows: readonly (readonly [accept: string | null, ofCollection: string | null, ofItem: string | null])[] = [
    [null, 'application/json', 'application/json'],
    ['*/*', 'application/json', 'application/json'],
    ['application/*', 'application/json', 'application/json'],
    ['application/xml', 'application/xml', 'application/xml'],
    ['application/xml, application/json;q=0.9', 'application/xml', 'application/xml'],
    ['application/xml;q=0.9, application/json', 'application/json', 'application/json'],
    ['application/xml, application/json', 'application/json', 'application/json'],
    ['text/xml', null, null],
    ['text/plain', 'text/plain; charset=utf-8', 'text/plain; charset=utf-8'],
    ['text/plain;charset=UTF-8', 'text/plain; charset=utf-8', 'text/plain; charset=utf-8'],
    ['text/plain;charset=iso-8859-1', null, null],
    ['text/*', 'text/plain; charset=utf-8', 'text/plain; charset=utf-8'],
    ['text/csv', 'text/csv; charset=utf-8; header=present', null],
    ['text/csv;header=present', 'text/csv; charset=utf-8; header=present', null],
    ['text/csv; charset=utf-8; header=present', 'text/csv; charset=utf-8; header=present', null],
    ['text/csv;header=absent', null, null],
    ['text/csv, */*;q=0.1', 'text/csv; charset=utf-8; header=present', 'application/json'],
    ['application/x-ndjson', 'application/x-ndjson', null],
    ['application/x-ndjson, application/json;q=0.5', 'application/x-ndjson', 'application/json'],
    ['application/vnd.shop.v1+xml', 'application/vnd.shop.v1+xml', 'application/vnd.shop.v1+xml'],
    ['application/vnd.shop.v1.2+xml', 'application/vnd.shop.v1.2+xml', 'application/vnd.shop.v1.2+xml'],
    ['application/vnd.shop.v1+csv', null, null],
    ['application/vnd.shop.v2+xml', null, null],
    ['application/json;q=0, */*', 'application/xml', 'application/xml'],
    // The value that browsers send when a user enters a URL.
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'application/json', 'application/json'],
    [
      'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7',
      'application/json',
      'application/json',
    ],
    ['text/html', 'application/json', 'application/json'],
    ['application/xml, text/html', 'application/json', 'application/json'],
    ['application/xml, text/html;q=0.9', 'application/xml', 'application/xml'],
    ['text/html;q=0, application/xml;q=0.1', 'application/xml', 'application/xml'],
    ['application/json;q=0, text/html, application/xml;q=0.1', 'application/xml', 'application/xml'],
    ['text/csv, text/html;q=0.5', 'text/csv; charset=utf-8; header=present', 'application/json'],
  ];
  for (const [accept, ofCollection, ofItem] of rows) {
    it(`[NEG-1] answers ${accept ?? 'no Accept'} with ${ofCollection ?? 'nothing'}, of one resource with ${ofItem ?? 'nothing'}`, () => {
      const ranges = parseAccept(accept);
      assert.equal(negotiate(ranges, COLLECTION)?.contentType ?? null, ofCollection);
      assert.equal(negotiate(ranges, ITEM)?.contentType ?? null, ofItem);
    });
  }
});

describe('vendorRanges', () => {
  const rows: readonly (readonly [accept: string, versions: readonly string[]])[] = [
    ['application/xml, text/csv', []],
    ['application/vnd.shop.v1+xml', ['1']],
    ['application/vnd.shop.v1+json, application/xml;q=0.5', ['1', 'any']],
    ['application/vnd.shop.v1.2+json;q=0.5, text/csv', ['any', '1.2']],
    ['application/vnd.shop.v1+xml;q=0.5, application/x-ndjson;q=0.4', ['1', 'any']],
    ['application/vnd.shop.v1+json;q=0.5, application/vnd.shop.v2+xml', ['2', '1']],
    ['application/vnd.shop.v1+json, text/html', ['1']],
  ];
  for (const [accept, expected] of rows) {
    it(`[VER-1] finds ${expected.join(' then ') || 'none'} in ${accept}, whatever the format`, () => {
      const found = vendorRanges(parseAccept(accept), 'shop', plainOffers(FORMATS));
      const versions = found.map(({ version }) => (version === null ? 'any' : versionText(version)));
      assert.deepEqual(versions, expected);
    });
  }
});
