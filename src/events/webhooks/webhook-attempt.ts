import type { EventEnvelope } from '../../conventions/events/event.ts';
import { judgeWebhookResponse, type WebhookVerdict } from '../../conventions/events/webhook-response.ts';
import type { ListedAttempt } from './delivery-rows.ts';
import type { SendFailure, SendResult, WebhookSender } from './sender.ts';
import type { WebhookEndpoint } from './webhook-endpoint.ts';
import { dataSchemaUri } from '../../describe/asyncapi/data-schema.ts';
import { CLOUD_EVENT_TYPE, cloudEvent, eventTraceparent } from '../../conventions/events/cloud-event.ts';
import { signatureFields, type Signer } from '../../conventions/events/webhook-signature.ts';

/** The result of an attempt. */
export interface WebhookAttempt {
  readonly listed: ListedAttempt;
  readonly verdict: WebhookVerdict;
}

export interface AttemptOptions {
  readonly sender: WebhookSender;
  /** Milliseconds. */
  readonly timeout: number;
  /** The name of the API, and its URL. */
  readonly name: string;
  readonly source: () => string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Monotonic milliseconds. */
  readonly elapsed: () => number;
}

const CAUSES: Readonly<Record<SendFailure, (timeout: number) => string>> = {
  timeout: (timeout) => `There was no complete response within ${timeout / 1_000} s.`,
  forbidden: () => 'The host has an address that webhooks may not call.',
  unresolved: () => 'The name of the host could not be resolved.',
  refused: () => 'The connection was refused.',
  tls: () => 'The TLS handshake failed; check the certificate.',
  connection: () => 'The connection was lost.',
};

/** Sends an event to a webhook once, signed with the time of the attempt. Never rejects. */
export async function attemptWebhook(
  endpoint: WebhookEndpoint,
  event: EventEnvelope,
  { sender, timeout, name, source, now, elapsed }: AttemptOptions,
): Promise<WebhookAttempt> {
  const at = now();
  const began = elapsed();
  const { format, signers } = endpoint;
  const { headers, body } = webhookMessage(event, { format, signers: signers(at), name, source: source() }, at);
  const { target } = endpoint;
  const result: SendResult =
    target.kind === 'valid'
      ? await sender.send({ url: target.url, headers, body, timeout })
      : { kind: 'failure', reason: 'forbidden' };
  const listed = { at, duration: Math.round(elapsed() - began), ...describeOutcome(result, timeout) };
  const verdict: WebhookVerdict =
    result.kind === 'response'
      ? judgeWebhookResponse(result.status, result.retryAfter, now())
      : { kind: 'failed', retryAfter: null };
  return { listed, verdict };
}

function describeOutcome(
  result: SendResult,
  timeout: number,
): Pick<ListedAttempt, 'statusCode' | 'response' | 'error'> {
  if (result.kind === 'response') return { statusCode: result.status, response: result.body, error: null };
  return { statusCode: null, response: null, error: CAUSES[result.reason](timeout) };
}

/** The settings of a webhook that determine the form of its messages. */
interface MessageForm {
  readonly format: 'native' | 'cloudevents';
  /** Signers, that of the newest key first. */
  readonly signers: readonly Signer[];
  /** The name of the API, and its URL. */
  readonly name: string;
  readonly source: string;
}

/** A signed request without its target. */
interface WebhookMessage {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Makes the request that delivers an event (EVT-5). Its body is the same for every attempt and replay, signed with the
 * time of the attempt.
 *
 * @param now milliseconds since the epoch
 */
function webhookMessage(event: EventEnvelope, form: MessageForm, now: number): WebhookMessage {
  const { id } = event;
  const traceparent = eventTraceparent(event);
  const isCloudEvent = form.format === 'cloudevents';
  const dataschema = dataSchemaUri(form.source, event);
  const body = JSON.stringify(isCloudEvent ? cloudEvent(event, { ...form, dataschema }) : event);
  return {
    headers: {
      'content-type': isCloudEvent ? CLOUD_EVENT_TYPE : 'application/json; charset=utf-8',
      traceparent,
      ...signatureFields({ id, timestamp: Math.floor(now / 1_000), body }, form.signers),
    },
    body,
  };
}
