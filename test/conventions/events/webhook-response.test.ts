import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { httpDate } from '../../../src/conventions/headers/http-date.ts';
import { judgeWebhookResponse } from '../../../src/conventions/events/webhook-response.ts';

const NOW = Date.UTC(2026, 4, 1);
const judge = (status: number, retryAfter: string | null = null): unknown =>
  judgeWebhookResponse(status, retryAfter, NOW);

describe('the response to a delivery', () => {
  it('[EVT-5b] is success with 2xx alone: redirects are failures, and 410 ends the subscription', () => {
    for (const status of [200, 201, 204, 299]) assert.deepEqual(judge(status), { kind: 'succeeded' });
    for (const status of [199, 301, 302, 304, 308, 400, 404, 409, 500])
      assert.deepEqual(judge(status, '5'), { kind: 'failed', retryAfter: null });
    assert.deepEqual(judge(410), { kind: 'gone' });
  });

  it('[EVT-5b] delays the next attempt by Retry-After of 429, 502, 503 and 504, up to 24 hours', () => {
    for (const status of [429, 502, 503, 504]) {
      assert.deepEqual(judge(status), { kind: 'failed', retryAfter: null });
      assert.deepEqual(judge(status, '120'), { kind: 'failed', retryAfter: 120_000 });
      assert.deepEqual(judge(status, httpDate(NOW + 60_000)), { kind: 'failed', retryAfter: 60_000 });
      assert.deepEqual(judge(status, httpDate(NOW - 60_000)), { kind: 'failed', retryAfter: 0 });
      assert.deepEqual(judge(status, '999999999'), { kind: 'failed', retryAfter: 86_400_000 });
      assert.deepEqual(judge(status, 'soon'), { kind: 'failed', retryAfter: null });
    }
  });
});
