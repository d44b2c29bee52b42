import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseConfig } from '../../console/src/session/config.ts';

const CONFIG = {
  api: '/api',
  openapi: '/openapi.json',
  ready: '/readyz',
  metrics: null,
  name: 'shop',
  title: 'Shop',
  issuer: null,
  client_id: null,
  scopes: ['openid'],
  paste: true,
  release: '0.2.0',
};

describe('the configuration of a console', () => {
  it('[OPS-10b] is read as the server has it', () => {
    assert.deepEqual(parseConfig(CONFIG), CONFIG);
    assert.deepEqual(parseConfig({ ...CONFIG, later: 1 }), CONFIG);
  });

  it('[OPS-10b] names what is wrong where another server answers', () => {
    for (const [json, names] of [
      [null, 'api, openapi, ready, name, title, release, metrics, issuer, client_id, paste, scopes'],
      [{ ...CONFIG, api: 1 }, 'api'],
      [{ ...CONFIG, scopes: 'openid', paste: 'yes' }, 'paste, scopes'],
    ] as const)
      assert.throws(() => parseConfig(json), { message: new RegExp(`\\(${names}\\)`) });
  });
});
