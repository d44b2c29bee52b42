import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { run } from '../../../src/cli/program.ts';
import type { EnvironmentVariables } from '../../../src/cli/setting-value.ts';
import { signatureFields, webhookSecret } from '../../../src/conventions/events/webhook-signature.ts';
import { hmacSigner } from '../../../src/events/webhooks/signing-keys.ts';
import { createFetchHandler } from '../../../src/http/fetch.ts';
import { loadModel } from '../../../src/model/compile/load-model.ts';
import { startApi } from '../../../src/start-api.ts';
import { temporaryDirectory } from '../../temporary-directory.ts';
import { recordedTerminal } from '../recorded-terminal.ts';

const SECRET = webhookSecret(new Uint8Array(32).fill(250));
const OTHER = webhookSecret(new Uint8Array(32).fill(5));
const BODY = '{"id":"0196","type":"product.created"}';

/** A command that listens, with what it has printed. */
interface Listening {
  readonly url: string;
  readonly code: Promise<number>;
  readonly stop: () => void;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Waits until standard output matches. @returns all of it */
  readonly printed: (pattern: RegExp) => Promise<string>;
}

async function startListen(
  test: TestContext,
  args: readonly string[],
  { env = {}, isTTY = false }: { readonly env?: EnvironmentVariables; readonly isTTY?: boolean } = {},
): Promise<Listening> {
  const recorded = recordedTerminal(env);
  const written = new EventEmitter();
  const output = (stream: 'stdout' | 'stderr'): { readonly isTTY: boolean; write(text: string): void } => ({
    isTTY,
    write(text) {
      recorded[stream].write(text);
      written.emit('text');
    },
  });
  const terminal = { ...recorded, stdout: output('stdout'), stderr: output('stderr') };
  const code = run(['listen', '--port', '0', ...args], terminal);
  const until = async (find: () => string, pattern: RegExp): Promise<string> => {
    while (!pattern.test(find())) await once(written, 'text');
    return find();
  };
  const all = (): string => Object.values(recorded.written()).join('');
  const stop = (): void => recorded.stop.abort('SIGTERM');
  test.after(async () => {
    stop();
    await code;
  });
  const [, url = ''] = /listening on (\S+)\n/.exec(await until(all, /listening on .*\n/)) ?? [];
  const stdout = (): string => recorded.written().stdout;
  const stderr = (): string => recorded.written().stderr;
  return { url, code, stop, stdout, stderr, printed: (pattern) => until(stdout, pattern) };
}

function post(url: string, secret: string | null, body: string = BODY, at = Date.now()): Promise<Response> {
  const message = { id: '0196', timestamp: Math.floor(at / 1_000), body: BODY };
  const headers = secret === null ? {} : { ...signatureFields(message, [hmacSigner(secret)]) };
  return fetch(url, { method: 'POST', headers, body });
}

const MODEL = `name: shop
webhooks: { retry: [0s, 1s] }
resources:
  products: { events: full, schema: { type: object, properties: { name: { type: string } } } }
`;

/** An API that delivers to this machine. @returns a function that sends JSON to it */
async function startShop(
  test: TestContext,
): Promise<(target: string, body: object) => Promise<Readonly<Record<string, string>>>> {
  const { model } = loadModel({ text: MODEL });
  const options = { model, database: ':memory:', loopbackWebhooks: true, observe: () => undefined };
  const { api, close } = await startApi(options);
  test.after(close);
  const handle = createFetchHandler(api);
  return async (target, body) => {
    const headers = { 'Content-Type': 'application/json' };
    const request = { method: 'POST', headers, body: JSON.stringify(body) };
    const response = await handle(new Request(`http://localhost/api${target}`, request));
    assert.ok(response.ok, await response.clone().text());
    return response.json() as Promise<Readonly<Record<string, string>>>;
  };
}

describe('restwright listen', () => {
  it('[EVT-5a] verifies what an API delivers, and shows it', async (test) => {
    const send = await startShop(test);
    const folder = temporaryDirectory(test);
    const file = path.join(folder, 'secret');
    writeFileSync(file, `${SECRET}\n`);
    const first = await startListen(test, []);
    const webhook = await send('/webhooks', { url: first.url, event_types: ['product.*'] });
    await send('/v1/products', { name: 'Lamp' });
    await first.printed(/unverified {2}204 {2}product\.created {2}attempt 1 {2}id [0-9a-f-]{36}\n {2}\{\n/);
    assert.match(first.stderr(), /signatures are not verified. Pass --secret/);
    first.stop();
    assert.equal(await first.code, 0);
    const port = new URL(first.url).port;
    const second = await startListen(test, ['--port', port, '--secret', webhook['secret'] ?? '']);
    await send('/v1/products', { name: 'Desk' });
    const shown = await second.printed(/valid {7}204 {2}product\.created .*\n[^]*"name": "Desk"/);
    assert.ok(!`${shown}${second.stderr()}`.includes(webhook['secret'] ?? '?'));
    await send(`/webhooks/${webhook['id']}/deliveries`, { type: 'webhook.ping' });
    await second.printed(/valid {7}204 {2}webhook\.ping {2}attempt 1/);
  });

  it('[EVT-5b] answers the attempts of an event with a status each', async (test) => {
    const send = await startShop(test);
    const listening = await startListen(test, ['--status', '503,200', '--json']);
    await send('/webhooks', { url: listening.url, event_types: ['*'] });
    await send('/v1/products', { name: 'Lamp' });
    const lines = (await listening.printed(/\n.*\n/)).trimEnd().split('\n');
    const found = lines.map((line): Readonly<Record<string, unknown>> => JSON.parse(line));
    assert.deepEqual(
      found.map(({ verdict, status, attempt, reason, path: target }) => [verdict, status, attempt, reason, target]),
      [
        ['unverified', 503, 1, null, '/'],
        ['unverified', 200, 2, null, '/'],
      ],
    );
    const [{ event, headers, time } = {}] = found;
    assert.match(JSON.stringify(event), /"type":"product.created".*"name":"Lamp"/);
    assert.match(JSON.stringify(headers), /"webhook-signature":"v1,/);
    assert.match(String(time), /^\d{4}-.*Z$/);
    assert.match(listening.stderr(), /^listening on http:\/\/127\.0\.0\.1:\d+\/\n/);
  });

  it('[EVT-5a] refuses with the reason what is not from the webhook', async (test) => {
    const listening = await startListen(test, ['--status', '202'], { env: { RESTWRIGHT_WEBHOOK_SECRET: SECRET } });
    const refused = async (response: Promise<Response>, reason: RegExp): Promise<void> => {
      const { status } = await response;
      assert.equal(status, 400);
      assert.match(await (await response).text(), reason);
    };
    await refused(post(listening.url, OTHER), /^SIGNATURE_MISMATCH: /);
    await refused(post(listening.url, SECRET, `${BODY} `), /^SIGNATURE_MISMATCH: /);
    await refused(post(listening.url, SECRET, BODY, Date.now() - 400_000), /^TIMESTAMP_OUT_OF_TOLERANCE: /);
    await refused(post(listening.url, null), /^HEADER_MISSING: The request has no webhook-id/);
    assert.equal((await post(listening.url, SECRET)).status, 202);
    const shown = await listening.printed(/ valid {7}202/);
    assert.match(shown, /invalid {5}400 {2}product\.created {2}id 0196\n {2}SIGNATURE_MISMATCH: No signature matches/);
    assert.equal(shown.split('  invalid').length, 5);
  });

  it('takes both secrets of a rotation, from a file', async (test) => {
    const file = path.join(temporaryDirectory(test), 'secret');
    writeFileSync(file, `${SECRET}\n${OTHER}\n`);
    const listening = await startListen(test, ['--secret-file', file]);
    for (const secret of [SECRET, OTHER]) assert.equal((await post(listening.url, secret)).status, 204);
  });

  it('takes POST alone, and no body over 4 MiB', async (test) => {
    const listening = await startListen(test, []);
    const { status, headers } = await fetch(listening.url);
    assert.deepEqual([status, headers.get('allow')], [405, 'POST']);
    assert.equal((await post(listening.url, null, 'x'.repeat(4 * 1_024 * 1_024 + 1))).status, 413);
    assert.equal((await post(listening.url, null, 'x'.repeat(4 * 1_024 * 1_024))).status, 204);
    await listening.printed(/BODY_TOO_LARGE: The body has more than 4 MiB\.\n/);
  });

  it('shows no control characters of a body, and cuts long ones', async (test) => {
    const listening = await startListen(test, []);
    await post(listening.url, null, '\u001b[31mred\u202e');
    assert.match(await listening.printed(/red/), /unsigned {4}204 {2}-\n {2}\\u\{1b\}\[31mred\\u\{202e\}\n/);
    await post(listening.url, null, JSON.stringify(Array.from({ length: 100 }, (_, at) => at)));
    assert.match(await listening.printed(/more lines/), /\n {2}… and 42 more lines; --json prints all of it\n$/);
  });

  it('is coloured on a terminal, not under NO_COLOR', async (test) => {
    for (const [env, shown] of [
      [{}, '\u001b[33munsigned  \u001b[39m  204'],
      [{ NO_COLOR: '1' }, '  unsigned    204'],
    ] as const) {
      const listening = await startListen(test, [], { env, isTTY: true });
      await post(listening.url, null);
      const printed = await listening.printed(/product\.created/);
      assert.ok(printed.includes(shown), printed);
    }
  });

  for (const { args, message } of [
    { args: ['--secret', 'whsec_abc'], message: /^error: --secret: this is not the secret of a webhook; use whsec_/ },
    { args: ['--secret', SECRET, '--secret-file', 'x'], message: /cannot be combined/ },
    { args: ['--secret-file', '/no/such/file'], message: /^error: --secret-file: no such file/ },
    { args: ['--status', '99'], message: /^error: --status: '99' is not a valid status; use one from 200 to 599/ },
    { args: ['--status', '503,'], message: /not a valid status/ },
    { args: ['--port', 'x'], message: /^error: --port: 'x' is not a valid port/ },
  ])
    it(`refuses ${args.join(' ').replaceAll(SECRET, '...')}`, async () => {
      const terminal = recordedTerminal();
      assert.equal(await run(['listen', ...args], terminal), 2);
      const { stderr } = terminal.written();
      assert.match(stderr, message);
      assert.ok(!stderr.includes('whsec_abc'));
    });

  it('exits with 1 where the port is in use', async (test) => {
    const listening = await startListen(test, []);
    const terminal = recordedTerminal();
    assert.equal(await run(['listen', '--port', new URL(listening.url).port], terminal), 1);
    assert.match(terminal.written().stderr, /is in use by another program/);
  });
});
