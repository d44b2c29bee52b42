import type { Json } from '../json/json.ts';

/** An event (EVT-2) before the log has assigned its sequence number. */
export interface EventDraft {
  /** UUIDv7, the same on every retry and replay. */
  readonly id: string;
  /** `product.created`. */
  readonly type: string;
  readonly payload: EventPayload;
  readonly metadata: {
    readonly trace_id: string;
    readonly correlation_id: string;
    readonly schema_version: string;
    readonly actor: string | null;
  };
  /** Stored with the event. Default: nothing is known. */
  readonly access?: EventAccess;
}

/** The caller that wrote: issuer, subject and client, each null if it has none, or if it is not known. */
export interface EventCaller {
  /** The name of the issuer in the model. */
  readonly issuer: string | null;
  readonly subject: string | null;
  readonly client: string | null;
}

/** The data that decides who may see an event, and in which form. Consumers receive the writer alone. */
export interface EventAccess {
  readonly writer: EventCaller;
  /**
   * The values that row policies compare, before the write; null where the row did not exist, or no policy compares
   * any.
   */
  readonly before: { readonly [field: string]: Json } | null;
  /** The same after the write; null where the row does not exist any more. */
  readonly after: { readonly [field: string]: Json } | null;
  /**
   * The paths at which changed objects differ, where an older contract has members of them elsewhere: it has other
   * `changed_fields`.
   */
  readonly members?: readonly string[];
}

export interface EventPayload {
  readonly timestamp: string;
  readonly resource: { readonly type: string; readonly id: string; readonly url: string };
  readonly parents: readonly { readonly type: string; readonly id: string }[];
  readonly changed_fields: readonly string[];
  readonly data?: { readonly [field: string]: Json };
}

/** An event as consumers read it: immutable, with its sequence number in the log. */
export interface EventEnvelope extends Omit<EventDraft, 'metadata' | 'access'> {
  readonly metadata: {
    readonly trace_id: string;
    readonly correlation_id: string;
    readonly schema_version: string;
    /** 20 digits, so that lexicographic order is log order. */
    readonly sequence: string;
    /** The subject of the caller. */
    readonly actor: string | null;
    readonly caller: EventCaller;
  };
}

/** The envelope of an event. @param sequence its number in the log, a positive integer */
export function envelope(draft: EventDraft, sequence: number): EventEnvelope {
  const { trace_id, correlation_id, schema_version, actor } = draft.metadata;
  const { issuer, client, subject } = draft.access?.writer ?? ofActor(null);
  return {
    id: draft.id,
    type: draft.type,
    payload: draft.payload,
    metadata: {
      trace_id,
      correlation_id,
      schema_version,
      sequence: sequenceText(sequence),
      actor,
      caller: { issuer, subject: subject ?? actor, client },
    },
  };
}

/** Makes the caller of an event that records its subject alone. */
export function ofActor(subject: string | null): EventCaller {
  return { issuer: null, subject, client: null };
}

const SEQUENCE_DIGITS = 20;

/** JSON Schema pattern of the text of a sequence. */
export const SEQUENCE_PATTERN = `^[0-9]{${SEQUENCE_DIGITS}}$`;

/**
 * A sequence as envelopes have it: 20 digits. `join` builds a flat string, which `JSON.stringify` writes faster than a
 * concatenation.
 */
export function sequenceText(sequence: number): string {
  const digits = String(sequence);
  return ['0'.repeat(SEQUENCE_DIGITS - digits.length), digits].join('');
}
