import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-base';
import { registeredTraceObserver, traceObserver } from '../../src/observe/open-telemetry.ts';
import { StoreUnavailable } from '../../src/stores/store.ts';
import { type ApiUnderTest, apiUnderTest, type Setting } from '../pipeline/support/api-under-test.ts';
import { create } from '../pipeline/models/shop-model.ts';

const NOTES = `
name: notes
resources:
  notes: { schema: { type: object, properties: { text: { type: string } } } }
`;
const TRACE = '0af7651916cd43dd8448eb211c80319c';
const CALLER = 'b7ad6b7169203331';

/** An API whose spans are exported. */
function traced(exporter: SpanExporter, setting: Setting = {}): Promise<ApiUnderTest> {
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  return apiUnderTest(NOTES, { traces: traceObserver(provider.getTracer('test')), ...setting });
}

/** The spans of one request, the server's first. */
async function collectSpans(
  row: Parameters<ApiUnderTest['send']>[0],
  setting: Setting = {},
): Promise<readonly ReadableSpan[]> {
  const exporter = new InMemorySpanExporter();
  await using api = await traced(exporter, setting);
  await create(api, 'notes', { text: 'a' });
  exporter.reset();
  await api.send(row);
  return exporter
    .getFinishedSpans()
    .toSorted((a, b) => Number(b.kind === SpanKind.SERVER) - Number(a.kind === SpanKind.SERVER));
}

const millisecondsOf = ([seconds, nanoseconds]: readonly [number, number]): number =>
  seconds * 1_000 + nanoseconds / 1e6;

describe('the span of a request', () => {
  it('[OPS-2c] is a server span below that of the client, with its trace state and the names of OpenTelemetry', async () => {
    const headers = { traceparent: `00-${TRACE}-${CALLER}-01`, tracestate: 'vendor=1', 'X-Correlation-ID': 'mine' };
    const [span] = await collectSpans({ send: 'GET /api/v1/notes?limit=1', headers });
    assert.deepEqual([span?.name, span?.kind], ['GET /api/notes', SpanKind.SERVER]);
    assert.equal(span?.spanContext().traceId, TRACE);
    assert.equal(span.parentSpanContext?.spanId, CALLER);
    assert.equal(span.parentSpanContext.isRemote, true);
    assert.equal(span.spanContext().traceState?.get('vendor'), '1');
    assert.deepEqual(span.attributes, {
      'http.request.method': 'GET',
      'url.path': '/api/v1/notes',
      'url.scheme': 'http',
      'http.response.status_code': 200,
      'http.route': '/api/notes',
      'http.request.body.size': 0,
      'restwright.api_version': '1.0.0',
      'restwright.correlation_id': 'mine',
    });
  });

  it('[OPS-2c] begins a trace without a client', async () => {
    const [span] = await collectSpans({ send: 'GET /api/v1/notes' });
    assert.equal(span?.parentSpanContext, undefined);
  });

  it('[OPS-2c] is not exported where the client does not sample its trace', async () => {
    assert.deepEqual(
      await collectSpans({ send: 'GET /api/v1/notes', headers: { traceparent: `00-${TRACE}-${CALLER}-00` } }),
      [],
    );
  });

  it('[OPS-2c] is an error where the server failed, and has the code where the client did', async () => {
    const breaking: Setting['breaking'] = (store) => ({
      ...store,
      rows: { ...store.rows, list: () => Promise.reject(new StoreUnavailable('gone')) },
    });
    const [failed] = await collectSpans({ send: 'GET /api/v1/notes' }, { breaking });
    assert.deepEqual(
      [failed?.status.code, failed?.attributes['error.type']],
      [SpanStatusCode.ERROR, 'SERVER_UNAVAILABLE'],
    );
    const [refused] = await collectSpans({ send: 'GET /api/v1/notes/none' });
    assert.deepEqual(
      [refused?.status.code, refused?.attributes['error.type']],
      [SpanStatusCode.UNSET, 'NOTE_NOT_FOUND'],
    );
    const [lost] = await collectSpans({ send: 'GET /nothing' });
    assert.deepEqual([lost?.name, lost?.attributes['http.route']], ['GET', undefined]);
  });
});

describe('the children of the span of a request', () => {
  it('[OPS-2c] are its stages in order, and the store within them', async () => {
    const [request, ...children] = await collectSpans({ send: 'GET /api/v1/notes' });
    const stages = children.filter(({ name }) => name !== 'store');
    assert.deepEqual(
      stages.map(({ name }) => name),
      ['receive', 'route', 'authenticate', 'limit', 'authorize', 'negotiate', 'plan', 'execute', 'represent'],
    );
    for (const stage of stages) assert.equal(stage.parentSpanContext?.spanId, request?.spanContext().spanId);
    const store = children.find(({ name }) => name === 'store');
    const execute = stages.find(({ name }) => name === 'execute');
    assert.equal(store?.parentSpanContext?.spanId, execute?.spanContext().spanId);
  });

  it('[OPS-2c] take the time that the store took', async () => {
    const exporter = new InMemorySpanExporter();
    await using api = await traced(exporter, {
      breaking: (store) => ({
        ...store,
        rows: { ...store.rows, list: async (plan) => (api.clock.advance(40), store.rows.list(plan)) },
      }),
    });
    await api.send({ send: 'GET /api/v1/notes' });
    const durations = Object.fromEntries(
      exporter.getFinishedSpans().map(({ name, duration }) => [name, millisecondsOf(duration)]),
    );
    assert.deepEqual(
      [durations['store'], durations['execute'], durations['receive'], durations['GET /api/notes']],
      [40, 40, 0, 40],
    );
  });

  it('[OPS-2c] have the commit of a write', async () => {
    const spans = await collectSpans({ send: 'POST /api/v1/notes', body: { text: 'b' } });
    const execute = spans.find(({ name }) => name === 'execute');
    const stores = spans.filter(({ name }) => name === 'store');
    assert.ok(stores.some(({ parentSpanContext }) => parentSpanContext?.spanId === execute?.spanContext().spanId));
  });

  it('[OPS-2c] end with the refusal of a request', async () => {
    const [, ...children] = await collectSpans({ send: 'GET /nothing' });
    assert.deepEqual(
      children.map(({ name }) => name),
      ['receive', 'refuse'],
    );
  });
});

describe('an exporter', () => {
  const never: SpanExporter = { export: () => undefined, shutdown: () => new Promise(() => undefined) };
  const throwing: SpanExporter = {
    export: () => {
      throw new Error('exporter');
    },
    shutdown: () => Promise.resolve(),
  };
  for (const [title, exporter] of Object.entries({ hangs: never, throws: throwing })) {
    it(`[OPS-2c] that ${title} fails no request`, async () => {
      await using api = await traced(exporter);
      for (let time = 0; time < 10; time += 1) await api.row({ send: 'GET /api/v1/notes', status: 200 });
    });
  }

  it('[OPS-2c] fails no request where the tracer itself throws', async () => {
    const tracer = trace.getTracer('test');
    const startSpan = (): never => {
      throw new Error('tracer');
    };
    await using api = await apiUnderTest(NOTES, {
      traces: traceObserver({ ...tracer, startSpan, startActiveSpan: startSpan }),
    });
    await api.row({ send: 'GET /api/v1/notes', status: 200 });
  });
});

describe('the SDK that was registered', () => {
  afterEach(() => trace.disable());

  it('[OPS-2c] is used, and nothing is without one', () => {
    assert.equal(registeredTraceObserver('1.0.0'), null);
    const exporter = new InMemorySpanExporter();
    trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
    const observe = registeredTraceObserver('1.0.0');
    observe?.({ kind: 'delivery', result: 'dead', duration: 10, lag: 2_000 });
    const [span] = exporter.getFinishedSpans();
    assert.deepEqual([span?.name, span?.status.code], ['deliver', SpanStatusCode.ERROR]);
    assert.deepEqual(span?.attributes, { 'restwright.delivery.result': 'dead', 'restwright.delivery.lag': 2 });
    assert.equal(span?.instrumentationScope.version, '1.0.0');
  });
});
