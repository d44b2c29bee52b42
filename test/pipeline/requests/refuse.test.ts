import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApiError, errors, apiError, resourceErrors, resourceError } from '../../../src/conventions/errors.ts';
import { SAME_ORIGIN } from '../../../src/conventions/headers/cors.ts';
import { headerFields } from '../../../src/conventions/headers/header-fields.ts';
import type { Observation } from '../../../src/observe/observation.ts';
import type { Exchange } from '../../../src/exchange/exchange.ts';
import { newNote } from '../../../src/pipeline/receive.ts';
import { refuse } from '../../../src/pipeline/refuse.ts';
import { START } from '../support/api-under-test.ts';

function makeExchange(headers: readonly string[]): Exchange {
  return {
    request: { method: 'GET', target: '/api/v1/notes', headers },
    fields: headerFields(headers),
    correlationId: 'mine',
    trace: { traceId: '1'.repeat(32), parentId: null, sampled: true },
    startTick: 0,
    stages: null,
    startedAt: START,
    note: newNote(),
    versionInPath: true,
    origin: SAME_ORIGIN,
    coding: 'identity',
  };
}

const PROBLEM = ['Accept', 'application/problem+json'];

function refused(error: unknown, headers: readonly string[] = []) {
  const observations: Observation[] = [];
  const exchange = makeExchange(headers);
  const observe = (observation: Observation): void => void observations.push(observation);
  const answer = refuse(exchange, error, { observe, now: () => START });
  const body = JSON.parse(String(answer.body)) as Readonly<Record<string, unknown>>;
  return { answer, body, observations, code: exchange.note.errorCode };
}

describe('refuse', () => {
  const all = [
    ...Object.keys(errors).map((code) => apiError(code as keyof typeof errors, 'A cause; a fix.')),
    ...Object.keys(resourceErrors).map((code) =>
      resourceError('NOTE', code as keyof typeof resourceErrors, 'A cause; a fix.'),
    ),
  ];
  for (const error of all) {
    it(`[ERR-6] has the title of its status for ${error.code}, and the same status everywhere`, () => {
      const { answer, body, code } = refused(error, PROBLEM);
      assert.equal(answer.status, error.status);
      assert.deepEqual(
        [body['httpStatus'], body['status'], body['errorCode'], code],
        [error.status, error.status, error.code, error.code],
      );
      assert.match(String(body['title']), /^[A-Z]{2,}|^[A-Z][a-z]+/);
      assert.notEqual(body['title'], 'Error');
    });

    it(`[ERR-7] has Retry-After for ${error.code} only if a retry may help`, () => {
      const { answer } = refused(error);
      assert.equal(answer.headers.includes('Retry-After'), error.status === 503);
    });
  }

  it('[ERR-7] keeps an explicit Retry-After', () => {
    const own = apiError('SERVER_UNAVAILABLE', 'A cause; a fix.', { headers: { 'Retry-After': '7' } });
    const { headers } = refused(own).answer;
    assert.deepEqual(
      headers.filter((_, index) => headers[index - 1] === 'Retry-After'),
      ['7'],
    );
  });

  it('[ERR-7] reports only unexpected exceptions', () => {
    const surprise = new TypeError('x is not a function');
    assert.deepEqual(refused(surprise).observations, [{ kind: 'error', correlationId: 'mine', error: surprise }]);
    assert.deepEqual(refused(new ApiError(404, 'NOTE_NOT_FOUND', 'A cause; a fix.')).observations, []);
  });

  it('[ERR-4] never exposes the cause', () => {
    const { answer } = refused(apiError('SERVER_UNAVAILABLE', 'A cause; a fix.', { cause: new Error('secret') }));
    assert.ok(!JSON.stringify(answer).includes('secret'));
  });
});
