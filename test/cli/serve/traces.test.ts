import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { it } from 'node:test';
import { SpanKind } from '@opentelemetry/api';
import { temporaryDirectory } from '../../temporary-directory.ts';
import { killAll, startServer, waitUntilListening } from '../server-process.ts';

const MODEL = `name: notes
resources:
  notes: { schema: { type: object, properties: { text: { type: string } } } }
`;
const TRACE = '0af7651916cd43dd8448eb211c80319c';

it('[OPS-2c] serve makes spans with the SDK that NODE_OPTIONS=--import registers', async (context) => {
  const folder = temporaryDirectory(context);
  const [model, spans] = [path.join(folder, 'notes.yaml'), path.join(folder, 'spans.ndjson')];
  writeFileSync(model, MODEL);
  writeFileSync(spans, '');
  const NODE_OPTIONS = `--import=${path.join(import.meta.dirname, 'register-traces.ts')}`;
  const server = startServer(folder, [model, '--port', '0'], { NODE_OPTIONS, SPANS: spans });
  context.after(() => killAll([server]));
  const { origin } = new URL(await waitUntilListening(server));
  const headers = { traceparent: `00-${TRACE}-b7ad6b7169203331-01` };
  assert.equal((await fetch(`${origin}/api/v1/notes`, { headers })).status, 200);
  server.child.kill('SIGTERM');
  assert.equal(await server.exited, 0);
  const lines = readFileSync(spans, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const [span] = lines.filter(({ kind }) => kind === SpanKind.SERVER);
  assert.deepEqual([span?.name, span?.trace], ['GET /api/notes', TRACE]);
  assert.ok(lines.length > 1, 'stages are spans, too');
});
