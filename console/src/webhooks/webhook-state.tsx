import { texts } from '../texts.ts';
import { Time } from '../ui/time.tsx';
import type { Webhook } from './webhook-types.ts';

/** The state of a webhook in words. */
export function WebhookState({ webhook }: { readonly webhook: Webhook }) {
  const { states, failingSince } = texts.webhooks;
  const { status, disabled_reason: reason, failing_since: since } = webhook;
  if (status === 'disabled')
    return (
      <span className="error-text">
        {states.disabled}
        {reason !== null && `: ${describeReason(reason)}`}
      </span>
    );
  if (since === null) return <span>{states.enabled}</span>;
  return (
    <span className="error-text">
      {failingSince} <Time value={since} />
    </span>
  );
}

/** The reason in words; one of a newer server as it is. */
function describeReason(reason: string): string {
  return new Map<string, string>(Object.entries(texts.webhooks.reasons)).get(reason) ?? reason;
}
