import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compareSamples, readSample } from '../../console/src/health/measures.ts';

/** The text of a server after some requests: of so many, so many took at most 10 ms. */
function writeMetrics(requests: number, fast: number, rest = ''): string {
  const labels = 'http_request_method="GET",http_route="/api/books"';
  return `# TYPE http_server_request_duration_seconds histogram
http_server_request_duration_seconds_bucket{${labels},le="0.01"} ${fast}
http_server_request_duration_seconds_bucket{${labels},le="0.1"} ${requests}
http_server_request_duration_seconds_bucket{${labels},le="+Inf"} ${requests}
http_server_request_duration_seconds_count{${labels}} ${requests}
${rest}`;
}

describe('the measures of the console', () => {
  it('are rates between two reads of the metrics', () => {
    const errors = 'restwright_http_errors_total{error_code="REQUEST_INVALID"} 20';
    const samples = [readSample(writeMetrics(100, 100), 0), readSample(writeMetrics(200, 150, errors), 10_000)];
    const [measures, ...others] = compareSamples(samples);
    assert.deepEqual(others, []);
    assert.equal(measures?.requests, 10);
    assert.equal(measures?.errors, 2);
  });

  it('interpolate the 99th percentile in the bucket that has it', () => {
    const [measures] = compareSamples([readSample(writeMetrics(0, 0), 0), readSample(writeMetrics(100, 98), 1_000)]);
    assert.equal(Math.round(measures?.p99 ?? 0), 55);
  });

  it('have no percentile without requests', () => {
    const [measures] = compareSamples([readSample(writeMetrics(7, 7), 0), readSample(writeMetrics(7, 7), 1_000)]);
    assert.equal(measures?.p99, null);
  });

  it('have the lag of the slowest reader, and all webhooks that wait', () => {
    const rest = `restwright_events_lag{reader="a \\"b\\""} 3
restwright_events_lag{reader="c"} 12
restwright_subscriptions_waiting{reader="a"} 1
restwright_subscriptions_waiting{reader="c"} 2`;
    const [measures] = compareSamples([readSample('', 0), readSample(rest, 1_000)]);
    assert.equal(measures?.logLag, 12);
    assert.equal(measures?.webhooksWaiting, 3);
  });

  it('leave out the time in which the server started again', () => {
    const samples = [readSample(writeMetrics(100, 100), 0), readSample(writeMetrics(5, 5), 1_000)];
    assert.deepEqual(compareSamples(samples), []);
  });
});
