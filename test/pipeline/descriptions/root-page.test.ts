import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { createListener } from '../../../src/http/listener.ts';
import { type ApiUnderTest, apiUnderTest, rawRequest, type Seen } from '../support/api-under-test.ts';
import { mounts, open } from '../support/transports.ts';

const CHROMIUM =
  'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7';
const FIREFOX = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const SAFARI = FIREFOX;
const BROWSERS = { CHROMIUM, FIREFOX, SAFARI };
const HTML = 'text/html; charset=utf-8';

const MODEL = `
name: shop
title: Books & Maps
version: 1.4.2
resources:
  products: { id: client, schema: { type: object, required: [name], properties: { name: { type: string }, supplier_id: { type: string, x-references: suppliers } } } }
  suppliers: { schema: { type: object, properties: { country: { type: string, enum: [NO, SE] } } } }
  reviews: { parent: products, schema: { type: object, properties: { stars: { type: integer } } } }
`;

let shop: ApiUnderTest;
before(async () => {
  shop = await apiUnderTest(MODEL);
});
after(() => shop.close());

const page = (send = 'GET /', headers: Readonly<Record<string, string>> = {}): Promise<Seen> =>
  shop.send({ send, headers: { Accept: CHROMIUM, ...headers } });

function hrefs({ text }: Seen): readonly string[] {
  return [...text.matchAll(/ href="([^"]*)"/g)].map(([, href = '']) => href);
}

describe('the page of an API', () => {
  for (const [browser, Accept] of Object.entries(BROWSERS)) {
    for (const target of ['/', '/api', '/api/v1', '/api?api_version=1.4']) {
      it(`[NEG-1] is HTML at ${target} for ${browser}`, async () => {
        const expectHeaders = { 'Content-Type': HTML, Vary: /^Accept,/, 'Cache-Control': 'no-cache', ETag: /^"/ };
        const got = await shop.row({ send: `GET ${target}`, headers: { Accept }, status: 200, expectHeaders });
        assert.match(got.text, /^<!doctype html>\n<html lang="en">/);
        assert.match(got.text, /<h1>Books &amp; Maps<\/h1>/);
        await shop.row({ send: `HEAD ${target}`, headers: { Accept }, status: 200, expectHeaders });
      });
    }

    it(`[NEG-1, ERR-6] is for the root only: data and errors are JSON for ${browser}`, async () => {
      const expectHeaders = { 'Content-Type': 'application/json' };
      for (const [send, status] of [
        ['GET /api/v1/products', 200],
        ['GET /api/v1/products/none', 404],
        ['GET /api/v1/nothing', 404],
        ['GET /api?x=1', 400],
        ['GET /livez', 200],
        ['DELETE /api', 405],
      ] as const)
        await shop.row({ send, headers: { Accept }, status, expectHeaders });
    });
  }

  for (const accept of [
    '*/*',
    'application/json',
    'application/json, text/html',
    'text/html;q=0.1, */*',
    'application/vnd.shop.v1+json',
  ]) {
    it(`[NEG-1] is not for clients that prefer JSON: ${accept}`, async () => {
      const headers = { Accept: accept };
      await shop.row({ send: 'GET /api', headers, status: 200, expectHeaders: { 'Content-Type': /json$/ } });
      await shop.row({ send: 'GET /', headers, status: 308, expectHeaders: { Location: '/api', Vary: /^Accept,/ } });
    });
  }

  it('[NEG-1] has the formats of the root in the 406 of the root', async () => {
    const got = await shop.send({ send: 'GET /api', headers: { Accept: 'image/png' } });
    assert.equal(got.status, 406);
    assert.match(got.body.errorMessage, /text\/html/);
  });

  it('[NEG-1] redirects / without HTML, with its query and the public URL', async () => {
    await shop.row({ send: 'GET /?api_version=1', status: 308, expectHeaders: { Location: '/api?api_version=1' } });
    await shop.row({ send: 'HEAD /', status: 308, expectHeaders: { Location: '/api', 'Cache-Control': 'no-store' } });
    await using published = await apiUnderTest(`public_url: https://api.example.com\n${MODEL}`);
    await published.row({ send: 'GET /', status: 308, expectHeaders: { Location: 'https://api.example.com/api' } });
  });

  it('[MET-5, MET-6] has the methods of the root', async () => {
    const expectHeaders = { Allow: 'GET, HEAD, OPTIONS' };
    await shop.row({ send: 'OPTIONS /', status: 204, expectHeaders });
    await shop.row({ send: 'POST /', body: {}, status: 405, expectHeaders });
  });

  it('[NEG-1] is at / where the base path is /, and redirects no one', async () => {
    await using rooted = await apiUnderTest(`base_path: /\n${MODEL}`);
    await rooted.row({ send: 'GET /', status: 200, expectHeaders: { 'Content-Type': 'application/json' } });
    const got = await rooted.row({ send: 'GET /', headers: { Accept: CHROMIUM }, status: 200 });
    assert.ok(hrefs(got).includes('/products'));
  });

  it('[NEG-1] links to every collection that has a URL, in the version carrier of the request', async () => {
    const collections = async (send: string): Promise<readonly string[]> =>
      hrefs(await page(send)).filter((href) => /^\/(?!docs)/.test(href));
    assert.deepEqual(await collections('GET /'), ['/api/v1/products', '/api/v1/suppliers']);
    assert.deepEqual(await collections('GET /api/v1'), ['/api/v1/products', '/api/v1/suppliers']);
    assert.deepEqual(await collections('GET /api'), ['/api/products', '/api/suppliers']);
    const byQuery = ['/api/products?api_version=1', '/api/suppliers?api_version=1'];
    assert.deepEqual(await collections('GET /api?api_version=1'), byQuery);
    assert.match((await page()).text, />\/api\/v1\/products\/\{product_id\}\/reviews</);
    assert.match((await page('GET /api?api_version=1')).text, />\/api\/products\/\{product_id\}\/reviews</);
    assert.equal(
      (await page()).headers.get('link'),
      '</api/v1>; rel="canonical", </openapi.json>; rel="service-desc", </docs>; rel="service-doc"',
    );
  });

  it('[NEG-1] links within its own origin, whatever the public URL is', async () => {
    await using published = await apiUnderTest(`public_url: https://api.example.com\n${MODEL}`);
    const got = await published.send({ send: 'GET /', headers: { Accept: CHROMIUM } });
    assert.ok(hrefs(got).includes('/api/v1/products'));
  });

  it('[NEG-1, CACHE-1] counts rows, and its ETag changes with them', async () => {
    await using counted = await apiUnderTest(MODEL);
    const read = () => counted.send({ send: 'GET /', headers: { Accept: CHROMIUM } });
    const empty = await read();
    assert.match(empty.text, /0 items/);
    await counted.send({ send: 'PUT /api/v1/products/a', body: { name: 'A' } });
    const one = await read();
    assert.match(one.text, /1 item</);
    assert.notEqual(one.headers.get('etag'), empty.headers.get('etag'));
    const headers = { Accept: CHROMIUM, 'If-None-Match': one.headers.get('etag') ?? '' };
    const got = await counted.send({ send: 'GET /', headers });
    assert.deepEqual([got.status, got.text, got.headers.get('etag')], [304, '', one.headers.get('etag')]);
    const json = await counted.send({ send: 'GET /api', headers: { ...headers, Accept: '*/*' } });
    assert.equal(json.status, 200, 'the JSON of the same URL has another ETag');
  });

  it('[NEG-1] is compressed like other responses', async () => {
    const got = await page('GET /', { 'Accept-Encoding': 'br' });
    assert.equal(got.headers.get('content-encoding'), 'br');
    assert.match(got.text, /<\/html>\n$/);
  });

  it('[NEG-1] is allowed its own style and script, requests to its origin, and nothing else', async () => {
    const { headers, text } = await page();
    const digest = (name: string): string => {
      const [, content = ''] = new RegExp(`<${name}>(.*?)</${name}>`, 's').exec(text) ?? [];
      return `'sha256-${createHash('sha256').update(content).digest('base64')}'`;
    };
    assert.equal(
      headers.get('content-security-policy'),
      `default-src 'none'; style-src ${digest('style')}; script-src ${digest('script')}; connect-src 'self'; ` +
        "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    assert.equal(text.match(/<(?:script|style)\b/g)?.length, 2);
    assert.doesNotMatch(text, /\s(?:src|style|on[a-z]+)=/);
    assert.ok(hrefs({ ...(await page()) }).every((href) => /^(?:\/(?!\/)|#|data:image\/svg)/.test(href)));
  });

  it('[NEG-1] has no text of the model as markup', async () => {
    const hostile = `</title></script><script>alert(1)</script>"'><img src=x onerror=alert(1)>&lt;`;
    const quoted = JSON.stringify(hostile);
    await using evil = await apiUnderTest(`
name: desk
title: ${quoted}
resources:
  notes:
    schema:
      type: object
      required: [kind, file]
      properties:
        kind: { type: string, enum: [${quoted}, b], default: ${quoted} }
        file: { type: string, contentEncoding: base64, contentMediaType: image/png }
`);
    const { text } = await evil.send({ send: 'GET /', headers: { Accept: CHROMIUM } });
    assert.doesNotMatch(text, /<img|<script>alert|onerror=alert\(1\)>/);
    assert.equal(text.match(/<script\b/g)?.length, 1);
    assert.match(text, /<h1>&lt;\/title&gt;&lt;\/script&gt;/);
    const [, body = ''] = / data-body="([^"]*)"/.exec(text) ?? [];
    const decoded = body
      .replaceAll('&quot;', '"')
      .replaceAll('&#39;', "'")
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&');
    assert.equal(JSON.parse(decoded).kind, hostile);
  });

  it('[NEG-1] starts with bodies that create an item of each collection', async () => {
    await using samples = await apiUnderTest(`
name: samples
resources:
  plain: { noun: true, schema: { type: object, properties: { text: { type: string } } } }
  things:
    id: client
    schema:
      type: object
      required: [a, b, c, d, e, f, g, h, i, j, k, l, m]
      properties:
        a: { type: string }
        b: { type: integer }
        c: { type: number }
        d: { type: boolean }
        e: { type: string, format: date-time }
        f: { type: string, format: date }
        g: { type: string, format: uuid }
        h: { type: string, format: decimal }
        i: { type: object, required: [x], properties: { x: { type: string, format: email }, y: { type: string } } }
        j: { type: array, items: { type: string } }
        k: { type: object, additionalProperties: { type: string } }
        l: { type: string, enum: [RED, BLUE] }
        m: { type: string, format: int64 }
        n: { type: string, readOnly: true }
`);
    const { text } = await samples.send({ send: 'GET /', headers: { Accept: CHROMIUM } });
    const forms = [...text.matchAll(/data-method="POST" data-path="([^"]*)" data-body="([^"]*)"/g)];
    assert.equal(forms.length, 2);
    for (const [, path, body = ''] of forms) {
      const got = await samples.send({ send: `POST ${path}`, body: body.replaceAll('&quot;', '"') });
      assert.equal(got.status, 201, got.text);
    }
  });
});

describe('every way to the API', () => {
  for (const name of mounts) {
    it(`[NEG-1] has the page at the root of the API: ${name}`, async () => {
      const transport = await open(shop.api, name);
      try {
        const response = await transport.send(rawRequest({ send: 'GET /api', headers: { Accept: CHROMIUM } }));
        assert.equal(response?.status, 200);
        const at = response.headers.findIndex((field) => field.toLowerCase() === 'content-type');
        assert.equal(response.headers[at + 1], HTML);
        assert.match(Buffer.from((response.body ?? '') as Uint8Array).toString(), /<h1>Books &amp; Maps<\/h1>/);
      } finally {
        await transport.close();
      }
    });
  }

  it('[NEG-1] leaves / to an application that the API is mounted in', () => {
    const listener = createListener(shop.api);
    let passed = false;
    const request = { url: '/', method: 'GET', headers: {}, rawHeaders: [] };
    listener(request as never, {} as never, () => (passed = true));
    assert.ok(passed);
  });

  it('[NEG-1] of more than 100 resources has links alone, and counts no rows', async () => {
    for (const [resources, isDetailed] of [
      [100, true],
      [101, false],
    ] as const) {
      const names = Array.from(
        { length: resources },
        (_, index) => `  t${index}s: { schema: { type: object, properties: { a: { type: string } } } }`,
      );
      await using large = await apiUnderTest(`name: large\nversion: 1.0.0\nresources:\n${names.join('\n')}\n`);
      const { text } = await large.send({ send: 'GET /api/v1', headers: { Accept: CHROMIUM } });
      assert.match(text, new RegExp(`<a class="name" href="/api/v1/t${resources - 1}s">`));
      assert.equal(text.includes('1 field'), isDetailed);
      assert.equal(text.includes('0 items'), isDetailed);
    }
  });
});
