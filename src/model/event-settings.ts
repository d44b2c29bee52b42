import type { RelaySettings } from './relay-settings.ts';

/** The event log: retention (EVT-8) and relays (EVT-9). */
export interface EventSettings {
  /** Milliseconds after which an event is removed. */
  readonly retention: number;
  /** Events that are stored at most, rounded up to what is removed together; null for any number. */
  readonly maxRows: number | null;
  /** Milliseconds after which an event is removed although a relay has not sent it; not shorter than `retention`. */
  readonly hold: number;
  /** In declared order. */
  readonly relays: readonly RelaySettings[];
}
