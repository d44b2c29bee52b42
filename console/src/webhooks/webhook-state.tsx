import { texts } from '../texts.ts';
import { Time } from '../ui/time.tsx';
import type { Webhook } from './webhook-types.ts';

/** The state of a webhook in words. */
export function WebhookState({ webhook }: { readonly webhook: Webhook }) {
  const { states, reasons, failingSince } = texts.webhooks;
  const { status, disabled_reason: reason, failing_since: since } = webhook;
  if (status === 'disabled')
    return (
      <span className="error-text">
        {states.disabled}
        {reason !== null && `: ${Object.hasOwn(reasons, reason) ? reasons[reason as keyof typeof reasons] : reason}`}
      </span>
    );
  if (since === null) return <span>{states.enabled}</span>;
  return (
    <span className="error-text">
      {failingSince} <Time value={since} />
    </span>
  );
}
