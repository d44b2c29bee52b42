import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { root } from '../../scripts/command.ts';
import { signatureFields, webhookSecret } from '../../src/conventions/events/webhook-signature.ts';
import { hmacSigner } from '../../src/events/webhooks/signing-keys.ts';
import { skipWithout } from '../installed-programs.ts';
import { temporaryDirectory } from '../temporary-directory.ts';
import { readBlocks, readPage } from './guide-pages.ts';
import { freePort } from '../free-port.ts';

const guide = readPage('docs/guides/webhooks.md');
const SECRET = webhookSecret(new Uint8Array(32).fill(250));
const BODY = JSON.stringify({ id: '0196', type: 'product.created', payload: { resource: { url: 'https://a/ü' } } });
const LINE = 'product.created https://a/ü';

/** The receivers of the guide, and the commands that run them. */
const RECEIVERS = [
  { language: 'js', file: 'receiver.mts', program: process.execPath, args: [] },
  { language: 'python', file: 'receiver.py', program: 'python3', args: [] },
  { language: 'go', file: 'receiver.go', program: 'go', args: ['run'] },
] as const;

/** Starts a receiver. @returns its port, and what it has printed */
async function start(
  context: TestContext,
  { language, file, program, args }: (typeof RECEIVERS)[number],
): Promise<{ readonly port: number; readonly printed: () => string }> {
  const folder = temporaryDirectory(context);
  const [code = ''] = readBlocks(guide, language);
  const module = JSON.stringify(path.join(root, 'src', 'client', 'verify-webhook.ts'));
  writeFileSync(path.join(folder, file), code.replace("'restwright/webhooks'", module));
  const port = await freePort();
  const env = { ...process.env, PORT: String(port), WEBHOOK_SECRET: SECRET, GOTOOLCHAIN: 'local' };
  // A group of its own: `go run` starts another process.
  const child = spawn(program, [...args, path.join(folder, file)], { env, detached: true });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  context.after(() => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
  });
  return { port, printed: () => output };
}

function post(port: number, body: string, at = Date.now()): Promise<Response> {
  const timestamp = Math.floor(at / 1_000);
  const fields = signatureFields({ id: '0196', timestamp, body: BODY }, [hmacSigner(SECRET)]);
  return fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers: { ...fields }, body });
}

async function whenReady(port: number): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    try {
      await post(port, '{}');
      return;
    } catch {
      await setTimeout(100);
    }
  }
}

describe('the receivers of the guide', { skip: skipWithout('python3', 'go') }, () => {
  for (const receiver of RECEIVERS) {
    it(`[EVT-5a] verify deliveries, in ${receiver.language}`, async (context: TestContext) => {
      const { port, printed } = await start(context, receiver);
      await whenReady(port);
      assert.equal((await post(port, BODY)).status, 204, printed());
      assert.equal((await post(port, `${BODY} `)).status, 400);
      assert.equal((await post(port, BODY, Date.now() - 400_000)).status, 400);
      assert.equal((await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: BODY })).status, 400);
      assert.deepEqual(printed().match(/product\.created.*/g), [LINE]);
    });
  }
});
