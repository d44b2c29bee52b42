import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ApiUnderTest, apiUnderTest, type ExchangeRow } from './api-under-test.ts';
import { create, SHOP } from './shop-model.ts';

let shop: ApiUnderTest;
before(async () => {
  shop = await apiUnderTest(SHOP);
  await create(shop, 'notes', { id: 'a', text: 'x' });
});
after(() => shop.close());

type Asked = Pick<ExchangeRow, 'send' | 'headers'>;

const vendor = (version: string): Record<string, string> => ({ Accept: `application/vnd.shop.v${version}+json` });
const field = (version: string): Record<string, string> => ({ 'API-Version': version });

describe('a version', () => {
  const served: readonly Asked[] = [
    { send: 'GET /api/v1/notes/a' },
    { send: 'GET /api/notes/a' },
    ...['1', '1.4', '1.4.2'].flatMap((version) => [
      { send: `GET /api/notes/a?api_version=${version}` },
      { send: 'GET /api/notes/a', headers: field(version) },
      { send: 'GET /api/notes/a', headers: vendor(version) },
      { send: `GET /api/v1/notes/a?api_version=${version}` },
      { send: 'GET /api/v1/notes/a', headers: { ...field(version), ...vendor('1') } },
      { send: `GET /api/v1/notes/a?api_version=1`, headers: { ...field('1.4'), ...vendor(version) } },
    ]),
    { send: 'GET /api/v1/notes/a', headers: { Accept: 'application/vnd.shop.v9+json, application/json;q=0.1' } },
    { send: 'GET /api/notes/a?api_version=1%2E4' },
  ];
  for (const { send, headers = {} } of served) {
    it(`[VER-1] is read from its carrier: ${send} ${JSON.stringify(headers)}`, async () => {
      await shop.row({ send, headers, status: 200, has: { id: 'a' }, expectHeaders: { 'API-Version': '1.4.2' } });
    });
  }

  const refused: readonly (readonly [asked: Asked, status: number, code: string])[] = [
    [{ send: 'GET /api/v2/notes/a' }, 404, 'API_VERSION_NOT_FOUND'],
    [{ send: 'GET /api/v0/notes/a' }, 404, 'API_VERSION_NOT_FOUND'],
    [{ send: 'GET /api/v999999999' }, 404, 'API_VERSION_NOT_FOUND'],
    [{ send: 'GET /api/v1.4/notes/a' }, 404, 'API_VERSION_NOT_FOUND'],
    [{ send: 'GET /api/v01/notes/a' }, 400, 'API_VERSION_INVALID'],
    [{ send: 'GET /api/v99999999999999999999' }, 400, 'API_VERSION_INVALID'],
    ...(['2', '1.3', '1.5', '1.4.1', '0', '1.4.3'] as const).flatMap((version) => [
      [{ send: `GET /api/notes/a?api_version=${version}` }, 400, 'API_VERSION_UNSUPPORTED'] as const,
      [{ send: 'GET /api/notes/a', headers: field(version) }, 400, 'API_VERSION_UNSUPPORTED'] as const,
      [{ send: 'GET /api/notes/a', headers: vendor(version) }, 406, 'REQUEST_NOT_ACCEPTABLE'] as const,
    ]),
    ...(['', 'v1', '01', '1.', '.1', '1.4.2.0', '1.x', ' 1', '-1', '1,1', 'latest', '1e0', '\u{661}'] as const).flatMap(
      (version) => [
        [{ send: `GET /api/notes/a?api_version=${encodeURIComponent(version)}` }, 400, 'API_VERSION_INVALID'] as const,
        [{ send: 'GET /api/notes/a', headers: field(version) }, 400, 'API_VERSION_INVALID'] as const,
      ],
    ),
    [{ send: 'GET /api/notes/a?api_version' }, 400, 'API_VERSION_INVALID'],
    [{ send: 'GET /api/notes/a', headers: { 'API-Version': '1', 'api-version': '1' } }, 400, 'API_VERSION_INVALID'],
    [{ send: 'GET /api/v1/notes/a?api_version=x', headers: field('2') }, 400, 'API_VERSION_INVALID'],
  ];
  for (const [{ send, headers = {} }, status, errorCode] of refused) {
    it(`[VER-3a] is rejected with ${errorCode}: ${send} ${JSON.stringify(headers)}`, async () => {
      const { body } = await shop.row({ send, headers, status, has: { errorCode } });
      assert.notEqual(body['details']?.length, 0);
    });
  }

  it('[VER-3a] that is not supported is rejected with the supported ones', async () => {
    for (const { send, headers } of [
      { send: 'GET /api/v2/notes', headers: {} },
      { send: 'GET /api/notes?api_version=2', headers: {} },
      { send: 'GET /api/notes', headers: field('2') },
      { send: 'GET /api/notes', headers: vendor('2') },
    ]) {
      const { body } = await shop.send({ send, headers });
      assert.match(String(body['errorMessage']), /v1\b|1\.4\.2/);
    }
  });

  const conflicts: readonly (readonly [asked: Asked, details: Readonly<Record<string, string>>])[] = [
    [
      { send: 'GET /api/v1/notes', headers: field('2') },
      { path: 'v1', 'API-Version': '2' },
    ],
    [{ send: 'GET /api/v1/notes?api_version=2' }, { path: 'v1', api_version: '2' }],
    [{ send: 'GET /api/v2/notes?api_version=1' }, { path: 'v2', api_version: '1' }],
    [
      { send: 'GET /api/notes?api_version=1.4', headers: field('1.3') },
      { api_version: '1.4', 'API-Version': '1.3' },
    ],
    [
      { send: 'GET /api/v1/notes', headers: vendor('2') },
      { path: 'v1', Accept: 'application/vnd.shop.v2+json' },
    ],
    [
      { send: 'GET /api/v1/notes?api_version=1.3', headers: field('1.4.2') },
      { path: 'v1', api_version: '1.3', 'API-Version': '1.4.2' },
    ],
  ];
  for (const [{ send, headers = {} }, carriers] of conflicts) {
    it(`[VER-1] that conflicts with another is rejected with each carrier and value: ${send}`, async () => {
      const details = Object.entries(carriers).map(([name, text]) => ({ field: name, message: `requests ${text}` }));
      await shop.row({ send, headers, status: 400, has: { errorCode: 'API_VERSION_CONFLICT', details } });
    });
  }

  it('[VER-2] defaults to the only one', async () => {
    await using other = await apiUnderTest(SHOP.replace('1.4.2', '3.0.0'));
    const expectHeaders = { 'API-Version': '3.0.0' };
    await other.row({ send: 'GET /api/notes', status: 200, expectHeaders });
    await other.row({ send: 'GET /api/v3/notes', status: 200, expectHeaders });
    await other.row({ send: 'GET /api/v1/notes', status: 404, has: { errorCode: 'API_VERSION_NOT_FOUND' } });
  });

  it('[VER-2] is the same contract in any carrier and precision', async () => {
    const { body } = await shop.row({ send: 'GET /api/notes/a', status: 200 });
    for (const headers of [field('1'), field('1.4'), field('1.4.2')]) {
      await shop.row({ send: 'GET /api/notes/a', headers, status: 200, expectBody: body });
    }
  });

  const everywhere: readonly (readonly [send: string, status: number])[] = [
    ['GET /', 308],
    ['GET /livez', 200],
    ['GET /api/', 308],
    ['GET /api/v9', 404],
    ['OPTIONS *', 204],
    ['OPTIONS /api/v1/notes', 204],
    ['BREW /', 501],
    ['DELETE /api/v1/notes', 405],
    ['GET /api/v1/notes?x=1', 400],
  ];
  for (const [send, status] of everywhere) {
    it(`[VER-4a] is in the response to ${send}`, async () => {
      await shop.row({ send, status, expectHeaders: { 'API-Version': '1.4.2', Deprecation: null, Sunset: null } });
    });
  }

  it('[VER-1] is ignored outside the base path: health has none', async () => {
    await shop.row({ send: 'GET /livez?api_version=9', headers: field('9'), status: 200 });
    await shop.row({ send: 'GET /nothing', headers: field('x'), status: 404 });
  });
});
