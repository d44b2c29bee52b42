import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isMethod, isRegisteredMethod } from '../../src/conventions/methods.ts';

describe('methods', () => {
  for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY']) {
    it(`[MET-6] supports ${method}`, () =>
      assert.deepEqual([isMethod(method), isRegisteredMethod(method)], [true, true]));
  }
  for (const method of ['TRACE', 'CONNECT', 'PROPFIND', 'LOCK', 'VERSION-CONTROL', 'UPDATEREDIRECTREF', 'ACL', 'PRI']) {
    it(`[MET-6] recognizes ${method}, which it does not support`, () => {
      assert.deepEqual([isMethod(method), isRegisteredMethod(method)], [false, true]);
    });
  }
  for (const method of ['BREW', 'get', 'Get', 'PURGE', 'NOTIFY', '*', '', 'GET ', 'constructor']) {
    it(`[MET-6] rejects "${method}"`, () => {
      assert.deepEqual([isMethod(method), isRegisteredMethod(method)], [false, false]);
    });
  }
});
