// Registers an SDK of OpenTelemetry that writes the name, kind and trace of each span to the file in SPANS, a line
// each. Loaded by `--import`.
import { appendFileSync } from 'node:fs';
import process from 'node:process';
import { trace } from '@opentelemetry/api';
import { BasicTracerProvider, type ReadableSpan, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';

const file = process.env['SPANS'] ?? '';

const exporter = {
  export(spans: readonly ReadableSpan[]): void {
    for (const span of spans) {
      const line = { name: span.name, kind: span.kind, trace: span.spanContext().traceId };
      appendFileSync(file, `${JSON.stringify(line)}\n`);
    }
  },
  shutdown: () => Promise.resolve(),
};

trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
