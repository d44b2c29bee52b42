import type { Measured } from './observation.ts';

interface MeasuredFacts {
  readonly event: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The entry of what is measured, for an observer that wants to log it: that of `restwright serve` does not. */
export function measuredEntry(measured: Measured): MeasuredFacts & { readonly level: 'debug' } {
  const { event, fields } = factsOf(measured);
  return { level: 'debug', event, fields };
}

function factsOf(measured: Measured): MeasuredFacts {
  switch (measured.kind) {
    case 'commit':
      return { event: 'commit', fields: { duration_ms: measured.duration, units: measured.units } };
    case 'commit-blocked':
      return { event: 'commit_blocked', fields: { units: measured.units } };
    case 'read-stopped': {
      const { reason, correlationId } = measured;
      return { event: 'read_stopped', fields: { reason, correlation_id: correlationId } };
    }
    case 'rate-limited':
      return { event: 'rate_limited', fields: { bucket: measured.bucket } };
    case 'events-removed':
      return { event: 'events_removed', fields: { count: measured.count } };
    case 'delivery': {
      const { result, duration, lag } = measured;
      return { event: 'delivery', fields: { result, duration_ms: duration, lag_ms: lag } };
    }
  }
}
