// `node bench/observe/server.ts SIDE MODEL DATABASE`: serves a model with a log, metrics or spans, or without. See
// README.md.
import { openSync } from 'node:fs';
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { BasicTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { createMetrics, loadModel, startApi, serveHttp } from '../../src/index.ts';
import { logSink } from '../../src/observe/log.ts';
import { openLog } from '../../src/observe/log-file.ts';
import type { Observe } from '../../src/observe/observation.ts';
import { traceObserver } from '../../src/observe/open-telemetry.ts';
import { systemClock } from '../../src/platform/clock.ts';

const [side = '', file = '', database = ''] = process.argv.slice(2);

/** As `serve` writes it, to where it costs no disk. */
function log(): Observe {
  const { write } = openLog(openSync('/dev/null', 'w'));
  return logSink({ write, clock: systemClock, format: 'json', colours: false });
}

/** An exporter that never answers. */
function spans(): Observe {
  const exporter = { export: () => undefined, shutdown: () => Promise.resolve() };
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  return traceObserver(provider.getTracer('bench'));
}

const { model } = loadModel({ text: readFileSync(file, 'utf8') });
const { api } = await startApi({
  model,
  database,
  observe: side.includes('log') ? log() : () => undefined,
  metrics: side.includes('metrics') ? createMetrics() : null,
  traces: side.includes('spans') ? spans() : null,
});
const { port } = await serveHttp({ api, port: 0 });
process.stdout.write(`listening on http://127.0.0.1:${port}/api\n`);
