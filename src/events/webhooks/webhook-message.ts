import { CLOUD_EVENT_TYPE, cloudEvent, eventTraceparent } from '../../conventions/events/cloud-event.ts';
import type { EventEnvelope } from '../../conventions/events/event.ts';
import { signatureFields, type Signer } from '../../conventions/events/webhook-signature.ts';

/** How a webhook gets events. */
export interface MessageForm {
  readonly format: 'native' | 'cloudevents';
  /** Of the newest key first. */
  readonly signers: readonly Signer[];
  /** The name of the API, and its URL. */
  readonly name: string;
  readonly source: string;
}

/** A signed request without its target. */
export interface WebhookMessage {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * The request that delivers an event (EVT-5): the same body for every attempt and replay, signed with the time of the attempt.
 *
 * @param now milliseconds since the epoch
 */
export function webhookMessage(event: EventEnvelope, form: MessageForm, now: number): WebhookMessage {
  const { id } = event;
  const traceparent = eventTraceparent(event);
  const isCloudEvent = form.format === 'cloudevents';
  const body = JSON.stringify(isCloudEvent ? cloudEvent(event, { ...form, traceparent }) : event);
  return {
    headers: {
      'content-type': isCloudEvent ? CLOUD_EVENT_TYPE : 'application/json; charset=utf-8',
      traceparent,
      ...signatureFields({ id, timestamp: Math.floor(now / 1_000), body }, form.signers),
    },
    body,
  };
}
