import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { Server } from 'node:net';
import { after } from 'node:test';
import { parseAllowedHosts, type WebhookUrlRules } from '../../../src/conventions/events/webhook-url.ts';
import type { Resolve } from '../../../src/events/webhooks/guarded-agents.ts';
import { WebhookSender } from '../../../src/events/webhooks/sender.ts';
import { createCertificate } from './certificate.ts';

export const { cert, key } = createCertificate(['DNS:receiver.test', 'DNS:*.receiver.test', 'IP:127.0.0.1']);

export function rules(allowed: readonly string[], loopback = false): WebhookUrlRules {
  const parsed = parseAllowedHosts(allowed);
  assert.ok(parsed.kind === 'valid');
  return { allowed: parsed.hosts, loopback };
}

export function fixed(...addresses: readonly string[]): Resolve {
  return async () => addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
}

export function createSender(given: WebhookUrlRules, resolve: Resolve = fixed('127.0.0.1')): WebhookSender {
  const sender = new WebhookSender({ rules: given, resolve, ca: cert, userAgent: 'Restwright/1.0' });
  after(() => sender.close());
  return sender;
}

export async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => server.close());
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  return address.port;
}

export function receiver(listener: RequestListener): Promise<number> {
  return listen(createServer({ cert, key }, listener));
}

interface Sent {
  readonly timeout?: number;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

export function send(sender: WebhookSender, url: string, { timeout = 2_000, headers = {}, body = '{}' }: Sent = {}) {
  return sender.send({ url: new URL(url), headers, body, timeout });
}

export const NAMED = rules(['receiver.test']);
