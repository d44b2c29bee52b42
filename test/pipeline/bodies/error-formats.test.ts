import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ApiUnderTest, apiUnderTest } from '../support/api-under-test.ts';
import { create, SHOP } from '../models/shop-model.ts';

let shop: ApiUnderTest;
before(async () => {
  shop = await apiUnderTest(SHOP);
  await create(shop, 'notes', { id: 'a', text: 'x' });
});
after(() => shop.close());

const XML_FIRST = 'application/xml, application/json;q=0.5';
const TEXT_FIRST = 'text/plain, application/json;q=0.5';

describe('problem details', () => {
  const send = 'GET /api/v1/notes/none';
  const PROBLEM = 'application/problem+json';
  const ranked: readonly (readonly [accept: string, problem: boolean])[] = [
    ['application/problem+json', true],
    ['application/problem+json, application/json;q=0.9', true],
    ['application/json;q=0.9, application/problem+json', true],
    ['application/problem+json, */*;q=0.1', true],
    ['Application/Problem+JSON, application/json;q=0.5', true],
    ['application/problem+json;q=0.5, application/json;q=0.4', true],
    ['application/json, application/problem+json', false],
    ['application/problem+json, */*', false],
    ['application/problem+json;q=0.5, application/json', false],
    ['application/problem+json;q=0, application/json', false],
    ['application/problem+json;q=0', false],
    ['application/problem+json;profile=x', false],
    ['*/*', false],
    ['application/problem+json;q=5', false],
  ];
  for (const [accept, problem] of ranked) {
    it(`[ERR-6] are ${problem ? '' : 'not '}returned for Accept: ${accept}`, async () => {
      const { headers } = await shop.send({ send, headers: { Accept: accept } });
      assert.equal(headers.get('content-type'), problem ? PROBLEM : 'application/json');
    });
  }

  it('[ERR-6] are the six members first, then those of RFC 9457', async () => {
    const headers = { Accept: `${PROBLEM}, application/json;q=0.5`, 'X-Correlation-ID': 'mine:1~' };
    const { text } = await shop.row({ send, headers, status: 404, expectHeaders: { 'Content-Type': PROBLEM } });
    const message = 'There is no note with this id here.';
    const expected = {
      httpStatus: 404,
      errorCode: 'NOTE_NOT_FOUND',
      errorMessage: message,
      correlationId: 'mine:1~',
      timestamp: '2026-01-02T03:04:05.678Z',
      details: [],
      type: 'about:blank',
      title: 'Not Found',
      status: 404,
      detail: message,
      instance: '#mine:1~',
    };
    assert.equal(text, JSON.stringify(expected));
  });

  it('[ERR-6] do not affect successful responses, which are JSON', async () => {
    const headers = { Accept: `${PROBLEM}, application/json;q=0.5` };
    const expectHeaders = { 'Content-Type': 'application/json' };
    await shop.row({ send: 'GET /api/v1/notes/a', headers, status: 200, expectHeaders });
  });
});

describe('an error in another format', () => {
  const ranked: readonly (readonly [accept: string, type: RegExp])[] = [
    [XML_FIRST, /^application\/xml$/],
    ['text/html, application/xhtml+xml, application/xml;q=0.9, */*;q=0.8', /^application\/json$/],
    ['text/html;q=0.5, application/xml;q=0.9', /^application\/xml$/],
    ['Application/XML;q=0.2, application/json;q=0.1', /^application\/xml$/],
    [TEXT_FIRST, /^text\/plain/],
    ['text/*, application/json;q=0.5', /^text\/plain/],
    ['application/json, application/xml, text/plain', /^application\/json$/],
    ['application/xml;q=0.5, application/json', /^application\/json$/],
    ['*/*', /^application\/json$/],
    ['', /^application\/json$/],
  ];
  for (const [accept, type] of ranked) {
    it(`[ERR-6] has the preferred format: ${type.source} for ${accept || 'an empty Accept'}`, async () => {
      const headers = { Accept: accept };
      const expectHeaders = { 'Content-Type': type };
      await shop.row({ send: 'GET /api/v1/notes/none', headers, status: 404, expectHeaders });
    });
  }

  for (const accept of ['image/png', 'application/json;q=0, text/html;q=0.1', 'application/vnd.shop.v9+json']) {
    it(`[ERR-6] is JSON if no format matches: ${accept}`, async () => {
      const expectHeaders = { 'Content-Type': 'application/json' };
      await shop.row({ send: 'GET /api/notes/a', headers: { Accept: accept }, status: 406, expectHeaders });
    });
  }

  const CORRELATED = { 'X-Correlation-ID': 'mine' };

  it('[ERR-6] has the six elements in order in XML', async () => {
    const headers = { ...CORRELATED, Accept: XML_FIRST };
    const { text } = await shop.row({ send: 'GET /api/v1/notes?%3Ca%3E=1&%01=2', headers, status: 400 });
    const [, content] =
      /^<\?xml version="1\.0" encoding="UTF-8"\?>\n<error(?: [^>]*)?>(.*)<\/error>$/s.exec(text) ?? [];
    const message = 'Unknown query parameters; see details, or send "Prefer: handling=lenient".';
    const unknown = '<message>is not a known parameter</message>';
    assert.equal(
      content,
      `<httpStatus>400</httpStatus><errorCode>REQUEST_PARAMETER_UNKNOWN</errorCode><errorMessage>${message}</errorMessage>` +
        '<correlationId>mine</correlationId><timestamp>2026-01-02T03:04:05.678Z</timestamp><details>' +
        `<item><field>&lt;a&gt;</field>${unknown}</item><item><field encoding="base64">AQ==</field>${unknown}</item></details>`,
    );
  });

  it('[ERR-6] is six lines in text, for any details', async () => {
    const headers = { ...CORRELATED, Accept: TEXT_FIRST };
    const { text } = await shop.row({ send: 'GET /api/v1/notes?a%0D%0AhttpStatus:200=1', headers, status: 400 });
    assert.deepEqual(text.split('\n').slice(0, 5), [
      'httpStatus: 400',
      'errorCode: REQUEST_PARAMETER_UNKNOWN',
      'errorMessage: Unknown query parameter; see details, or send "Prefer: handling=lenient".',
      'correlationId: mine',
      'timestamp: 2026-01-02T03:04:05.678Z',
    ]);
    assert.match(text, /\ndetails: a\\r\\nhttpStatus:200 [^\n]*\n$/);
  });

  it('[ERR-6] has a charset in text/plain', async () => {
    const headers = { Accept: TEXT_FIRST };
    const expectHeaders = { 'Content-Type': /^text\/plain; ?charset=utf-8$/i };
    await shop.row({ send: 'GET /api/v1/notes?%C3%A9=1', headers, status: 400, expectHeaders });
  });
});
