import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { type ApiUnderTest, apiUnderTest, rawRequest, type Seen } from '../support/api-under-test.ts';
import { fakeTokens } from '../support/fake-tokens.ts';
import { mounts, open } from '../support/transports.ts';

const HTML = 'text/html; charset=utf-8';
const RESOURCES = `
resources:
  suppliers: { schema: { type: object, required: [name], properties: { name: { type: string }, country: { type: string, pattern: '^[A-Z]{2}$' } } } }
  products:
    id: client
    schema:
      type: object
      description: What the shop sells.
      required: [name, price]
      properties:
        name: { type: string, maxLength: 80, x-unique: true }
        price: { type: string, format: decimal, description: Without taxes }
        status: { type: string, enum: [DRAFT, ACTIVE, CLOSED], default: DRAFT }
        tags: { type: array, items: { type: string } }
        supplier_id: { type: string, x-references: suppliers }
    state: { field: status, initial: DRAFT, transitions: { DRAFT: [ACTIVE], ACTIVE: [CLOSED] } }
    search: [name]
    sort: -name
  reviews: { parent: products, events: none, schema: { type: object, required: [stars], properties: { stars: { type: integer } } } }
`;
const MODEL = `
name: shop
title: Books & Maps
version: 2.1.0
default_version: 1
versions:
  2.0.0: { changes: [ { resource: products, without: [tags] } ] }
  1.4.0: { deprecated: 2026-06-01, sunset: 2028-06-01, changes: [ { resource: products, rename: { title: name } }, { resource: suppliers, collection: vendors, singular: vendor } ] }
${RESOURCES}`;

let shop: ApiUnderTest;
before(async () => {
  shop = await apiUnderTest(MODEL);
});
after(() => shop.close());

const page = (send = 'GET /docs', api = shop): Promise<Seen> => api.send({ send });

/** The section of a resource. */
function section({ text }: Seen, name: string): string {
  const [found = ''] = new RegExp(`<section id="r-${name}" .*?</section>`, 's').exec(text) ?? [];
  return found;
}

/** Without markup. */
function words(markup: string): string {
  return markup.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
}

describe('the documentation of an API', () => {
  it('[OPS-1c, NEG-1] is a page at /docs, outside of the base path, with an ETag', async () => {
    const expectHeaders = { 'Content-Type': HTML, 'Cache-Control': 'no-cache', ETag: /^"/, 'API-Version': null };
    const got = await shop.row({ send: 'GET /docs', status: 200, expectHeaders });
    assert.match(got.text, /^<!doctype html>\n<html lang="en">/);
    assert.match(got.text, /<h1>Books &amp; Maps<\/h1>/);
    await shop.row({ send: 'HEAD /docs', status: 200, expectHeaders });
    const headers = { 'If-None-Match': got.headers.get('etag') ?? '' };
    await shop.row({ send: 'GET /docs', headers, status: 304 });
    await shop.row({ send: 'GET /api/docs', status: 404 });
    await shop.row({ send: 'GET /docs/', status: 308, expectHeaders: { Location: '/docs' } });
  });

  it('[OPS-1c, MET-5, MET-6] is read only', async () => {
    const expectHeaders = { Allow: 'GET, HEAD, OPTIONS' };
    await shop.row({ send: 'OPTIONS /docs', status: 204, expectHeaders });
    await shop.row({ send: 'POST /docs', body: {}, status: 405, expectHeaders });
  });

  it('[NEG-1] is HTML alone: JSON is 406, and an unknown parameter 400', async () => {
    await shop.row({ send: 'GET /docs', headers: { Accept: 'application/json' }, status: 406 });
    await shop.row({ send: 'GET /docs', headers: { Accept: '*/*' }, status: 200 });
    await shop.row({ send: 'GET /docs?x=1', status: 400, has: { errorCode: 'REQUEST_PARAMETER_UNKNOWN' } });
  });

  it('[NEG-7] is compressed like other responses', async () => {
    const got = await shop.send({ send: 'GET /docs', headers: { 'Accept-Encoding': 'br' } });
    assert.equal(got.headers.get('content-encoding'), 'br');
    assert.match(got.text, /<\/html>\n$/);
  });

  it('[OPS-1c] is allowed its own style and script, requests to its origin, and nothing else', async () => {
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
    const links = [...text.matchAll(/ href="([^"]*)"/g)].map(([, href = '']) => href);
    assert.deepEqual(
      links.filter((href) => !/^(?:#|\?|(?:open|async)api\.json\?|\/(?!\/)|data:image\/svg)/.test(href)),
      [],
    );
  });

  it('[OPS-1c] has the operations, states, fields, filters, sort keys, events and error codes of each resource', async () => {
    const products = section(await page(), 'products');
    for (const operation of ['list', 'create', 'get', 'replace', 'patch', 'delete'])
      assert.match(products, new RegExp(`<li id="r-products-${operation}">`));
    assert.match(products, /data-method="PUT" data-path="\/api\/v2\/products\/\{id\}"/);
    const text = words(products);
    assert.match(text, /What the shop sells\./);
    assert.match(text, /The field status starts as DRAFT .*DRAFT to ACTIVE .*ACTIVE to CLOSED .*CLOSED is final/);
    assert.match(text, / name text, required, unique at most 80 characters /);
    assert.match(text, / price decimal, required Without taxes /);
    assert.match(text, / supplier_id text, refers to suppliers /);
    assert.match(text, /Default order: sort=-name,-id /);
    assert.match(text, / q searches name /);
    assert.match(text, / price decimal, sort key eq ne gt gte lt lte in nin exists /);
    assert.match(text, / tags list of text contains exists /);
    assert.match(text, / supplier one of suppliers reviews a page of reviews /);
    assert.match(text, / product\.created product\.updated product\.deleted /);
    assert.match(text, / PRODUCT_CONFLICT 409, the state does not allow/);
    const reviews = section(await page(), 'reviews');
    assert.match(reviews, /data-path="\/api\/v2\/products\/\{product_id\}\/reviews\/\{id\}"/);
    assert.doesNotMatch(reviews, /review\.created|class="diagram"/);
  });

  it('[OPS-1c, VER-5a] is that of a version: its names, and a link to each other version', async () => {
    const newest = await page();
    assert.match(words(newest.text), / Versions 2\.1\.0 2\.0\.0 1\.4\.0 deprecated, ends 2028-06-01 /);
    assert.match(newest.text, /<strong aria-current="true">2\.1\.0<\/strong>/);
    assert.match(newest.text, /<a href="\?api_version=1\.4\.0">1\.4\.0<\/a>/);
    const old = await shop.send({ send: 'GET /docs?api_version=1' });
    assert.equal(old.headers.get('api-version'), '1.4.0');
    assert.match(old.headers.get('deprecation') ?? '', /^@/);
    assert.match(words(section(old, 'products')), / title text, required, unique /);
    assert.match(section(old, 'vendors'), /data-path="\/api\/v1\/vendors"/);
    assert.notEqual(old.headers.get('etag'), newest.headers.get('etag'));
    await shop.row({ send: 'GET /docs?api_version=9', status: 400, has: { errorCode: 'API_VERSION_UNSUPPORTED' } });
  });

  it('[OPS-1c, VER-2] names the minor version in requests that the path alone would send to a newer one', async () => {
    const { text } = await page('GET /docs?api_version=2.0');
    assert.match(text, /data-path="\/api\/v2\/products" data-fields="API-Version: 2\.0\.0\n"/);
    assert.match((await page()).text, /data-path="\/api\/v2\/products" data-fields=""/);
    assert.match((await page('GET /docs?api_version=1')).text, /data-path="\/api\/v1\/products" data-fields=""/);
  });

  it('[OPS-1c] has a search of every list of members, and the URL of the description of its version', async () => {
    const shown = await page('GET /docs?api_version=1');
    assert.match(shown.text, /<input id="search" type="search" /);
    assert.match(shown.text, / id="content" data-openapi="openapi\.json\?api_version=1\.4\.0">/);
    const kinds = [...section(shown, 'products').matchAll(/<ul class="members"(?: data-kind="([^"]*)")?>/g)];
    assert.deepEqual(
      kinds.map(([, kind]) => kind),
      ['field', 'filter', 'relation', 'event', 'error code'],
    );
  });

  it('[OPS-1c] starts with bodies that create, replace and change an item of each collection', async () => {
    const { text } = await page();
    const forms = [
      ...text.matchAll(/data-method="(POST|PUT|PATCH)" data-path="([^"]*)" data-fields="" data-body="([^"]*)"/g),
    ];
    assert.equal(forms.length, 9);
    const ids = new Map<string, string>();
    for (const [, method, path = '', body = ''] of forms) {
      const target = path
        .replace('{product_id}', 'example')
        .replace('{id}', ids.get(path.replace('/{id}', '')) ?? 'none');
      const got = await shop.send({ send: `${method} ${target}`, body: body.replaceAll('&quot;', '"') });
      assert.ok(got.status === 200 || got.status === 201, `${method} ${target}: ${got.text}`);
      if (method === 'POST') ids.set(path, got.body.id);
    }
  });

  it('[OPS-1c] has no text of the model as markup', async () => {
    const hostile = `</title></script><script>alert(1)</script>"'><img src=x onerror=alert(1)>&lt;`;
    const quoted = JSON.stringify(hostile);
    await using evil = await apiUnderTest(`
name: desk
title: ${quoted}
resources:
  notes:
    schema:
      type: object
      description: ${quoted}
      properties:
        kind: { type: string, enum: [${quoted}, b], default: ${quoted}, description: ${quoted} }
    state: { field: kind, initial: ${quoted}, transitions: { ${quoted}: [b] } }
`);
    const { text } = await page('GET /docs', evil);
    assert.doesNotMatch(text, /<img|<script>alert|onerror=alert\(1\)>/);
    assert.equal(text.match(/<script\b/g)?.length, 1);
    assert.match(text, /<h1>&lt;\/title&gt;&lt;\/script&gt;/);
  });

  it('[OPS-1c] is at /docs where the base path is /, and where it is longer', async () => {
    for (const base of ['/', '/a/b']) {
      await using other = await apiUnderTest(`base_path: ${base}\n${MODEL}`);
      for (const target of base === '/' ? ['/docs'] : ['/docs', '/a/docs']) {
        const got = await page(`GET ${target}`, other);
        assert.equal(got.status, 200, target);
        assert.match(got.text, new RegExp(`data-path="${base === '/' ? '' : base}/v2/products"`));
      }
      await other.row({ send: 'GET /b/docs', status: 404 });
    }
  });

  it('[OPS-1c] is linked from the page of the root', async () => {
    const headers = { Accept: 'text/html' };
    assert.match((await shop.send({ send: 'GET /', headers })).text, /<a href="\/docs\?api_version=1\.4\.0">/);
    assert.match((await shop.send({ send: 'GET /api/v2', headers })).text, /<a href="\/docs">/);
  });
});

const AUTH = `
auth: { issuers: [ { issuer: https://id.example.com, audience: shop, hs256_secret: 0123456789abcdef0123456789abcdef } ] }
limits: { rate: false }
`;

describe('the documentation of an API with authentication', () => {
  it('[OPS-1c, AUTH-4a] is public, with a field for the token and the scopes of the operations', async () => {
    await using closed = await apiUnderTest(AUTH + MODEL, { tokens: fakeTokens });
    const got = await closed.row({ send: 'GET /docs', status: 200, expectHeaders: { Vary: /^(?!.*Authorization)/ } });
    assert.match(got.text, /<input id="page-token" type="password" autocomplete="off"/);
    assert.match(words(section(got, 'products')), / List products \/api\/v2\/products products:read /);
    assert.doesNotMatch((await page()).text, /<input id="page-token"/);
  });

  it('[OPS-1c] shows nothing but its title without a token, where descriptions are for callers with one', async () => {
    await using closed = await apiUnderTest(`descriptions: authenticated${AUTH}${MODEL}`, { tokens: fakeTokens });
    const expectHeaders = { Vary: /Authorization/, 'Content-Security-Policy': /^default-src 'none'/ };
    const locked = await closed.row({ send: 'GET /docs', status: 200, expectHeaders });
    assert.match(locked.text, /<main id="content" data-locked>/);
    assert.doesNotMatch(locked.text, /products|suppliers|reviews/);
    const headers = { Authorization: 'Bearer ann' };
    const shown = await closed.row({ send: 'GET /docs', headers, status: 200, expectHeaders });
    assert.match(section(shown, 'products'), /data-path="\/api\/v2\/products"/);
    assert.notEqual(shown.headers.get('etag'), locked.headers.get('etag'));
    await closed.row({ send: 'GET /docs', headers: { Authorization: 'Bearer bad' }, status: 401 });
    await closed.row({ send: 'OPTIONS /docs', status: 204 });
  });
});

describe('every way to the API', () => {
  for (const name of mounts) {
    it(`[OPS-1c] has the documentation: ${name}`, async () => {
      const transport = await open(shop.api, name);
      try {
        const response = await transport.send(rawRequest({ send: 'GET /docs' }));
        assert.equal(response?.status, 200);
        assert.match(Buffer.from((response.body ?? '') as Uint8Array).toString(), /<h1>Books &amp; Maps<\/h1>/);
      } finally {
        await transport.close();
      }
    });
  }
});
