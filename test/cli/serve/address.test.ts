import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { serverUrl } from '../../../src/cli/serve/address.ts';

describe('the URL of a server', () => {
  const rows: readonly [host: string, port: number, basePath: string, url: string][] = [
    ['127.0.0.1', 3000, '/api', 'http://127.0.0.1:3000/api'],
    ['localhost', 80, '', 'http://localhost:80'],
    ['::1', 3000, '/api', 'http://[::1]:3000/api'],
  ];
  for (const [host, port, basePath, url] of rows) {
    it(`is ${url}`, () => assert.equal(serverUrl(host, port, basePath), url));
  }
});
