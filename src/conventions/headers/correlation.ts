/** The trace context of a request (W3C Trace Context). Ids are lower-case hexadecimal. */
export interface Trace {
  /** 32 digits. */
  readonly traceId: string;
  /** 16 digits: the span of the caller; null if the trace starts here. */
  readonly parentId: string | null;
  /** True if the trace is being recorded. */
  readonly sampled: boolean;
}

const CORRELATION_ID = /^[A-Za-z0-9._~:-]{1,128}$/;
/** Version, trace id, parent id, flags. A later version may append more fields after another `-`. */
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const ALL_ZERO = /^0+$/;
const SAMPLED = 0x01;

/** The correlation id that the caller sent if it is valid, else a new one (ERR-5). */
export function correlationId(given: string | null, make: () => string): string {
  return given !== null && CORRELATION_ID.test(given) ? given : make();
}

/**
 * The trace of a request: the one in `traceparent`, or a new one if the field is absent or invalid (ERR-5). A new trace
 * is marked as sampled, so that each later service makes its own sampling decision.
 *
 * @param given value of `traceparent`
 * @param randomHex returns the given number of random bytes as lower-case hexadecimal digits
 */
export function continueTrace(given: string | null, randomHex: (bytes: number) => string): Trace {
  const caller = given === null ? null : readTraceparent(given);
  return caller ?? { traceId: randomHex(16), parentId: null, sampled: true };
}

/** The `traceparent` of an outgoing request, in version 00. @param spanId 16 digits: the span that makes the request */
export function writeTraceparent({ traceId, sampled }: Trace, spanId: string): string {
  return `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`;
}

/** Trace Context 3.2: version ff and all-zero ids are invalid; version 00 ends with the flags. */
function readTraceparent(value: string): Trace | null {
  const [, version, traceId, parentId, flags, more] = TRACEPARENT.exec(value) ?? [];
  if (version === undefined || traceId === undefined || parentId === undefined || flags === undefined) return null;
  if (version === 'ff' || (version === '00' && more !== undefined)) return null;
  if (ALL_ZERO.test(traceId) || ALL_ZERO.test(parentId)) return null;
  return { traceId, parentId, sampled: (Number.parseInt(flags, 16) & SAMPLED) !== 0 };
}
