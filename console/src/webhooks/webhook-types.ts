import type { Row } from '../api/calls.ts';

export const FORMATS = ['native', 'cloudevents'] as const;

/** A subscription. */
export interface Webhook extends Row {
  readonly url: string;
  readonly event_types: readonly string[];
  readonly format: string | null;
  readonly status: string | null;
  readonly disabled_reason: string | null;
  readonly ordered: boolean | null;
  readonly filter: string | null;
  readonly description: string | null;
  readonly failing_since: string | null;
  readonly created_at: string;
}

/** One request to a receiver. */
export interface Attempt {
  readonly at: string;
  /** In milliseconds. */
  readonly duration: number | null;
  readonly status_code: number | null;
  readonly response: string | null;
  readonly error: string | null;
}

/** An event on its way to a receiver. */
export interface Delivery extends Row {
  /** Null for a ping. */
  readonly event_id: string | null;
  readonly type: string;
  readonly status: 'pending' | 'retrying' | 'succeeded' | 'dead';
  readonly attempts: readonly Attempt[];
  readonly next_attempt_at: string | null;
  readonly created_at: string;
}

/** A window of the log that is delivered again. */
export interface Replay extends Row {
  readonly from: string;
  readonly to: string;
  readonly status: string;
  readonly created_at: string;
}

/** A page of any collection. */
export interface Page<T> {
  readonly data: readonly T[];
  readonly page: { readonly next_cursor: string | null };
}
