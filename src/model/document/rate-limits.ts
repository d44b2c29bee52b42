import type { JsonObject } from '../../conventions/json/json.ts';
import type { CompileContext } from './compile-context.ts';
import type { RateLimits, RateQuota } from '../rate-quota.ts';
import { readNumber, readObject, readString } from '../values/access.ts';
import { DURATION_PATTERN, parseDuration } from '../values/parse-units.ts';

const REQUESTS = 600;
const PER = 60_000;
/**
 * The highest quota of an anonymous address in APIs with authentication: requests, and the shortest time in
 * milliseconds.
 */
const ANONYMOUS: RateQuota = { requests: 60, per: 60_000 };
const MAX_REQUESTS = 1_000_000;
const MIN_PER = 1_000;
const MAX_PER = 86_400_000;

/** The JSON Schema of `limits.rate`. */
export const rateSchema: JsonObject = {
  anyOf: [{ const: false }, { type: 'object' }],
  description: 'Requests of one caller in a time, such as {requests: 600, per: 60s}; false for no limit',
  properties: {
    requests: { type: 'integer', minimum: 1, maximum: MAX_REQUESTS, default: REQUESTS, description: 'Such as 600' },
    per: {
      type: 'string',
      pattern: DURATION_PATTERN,
      default: '60s',
      description: 'The time in which a caller may make so many requests, such as 60s',
    },
    weights: {
      type: 'object',
      description: 'What a request counts, where that is more than one',
      properties: {
        search: { type: 'integer', minimum: 1, maximum: 1000, default: 1, description: 'A search by q' },
      },
      additionalProperties: false,
    },
    instances: {
      type: 'integer',
      minimum: 1,
      maximum: 10_000,
      default: 1,
      description:
        'Number of servers that share the requests of a caller; without Redis each admits its part of the quota',
    },
  },
  additionalProperties: false,
};

/**
 * Compiles `limits.rate` (LIM-2).
 *
 * @param limits the section `limits`
 * @param hasAuth whether callers authenticate: only then there is a limit by default, and anonymous callers have less
 *   than the others
 * @returns null where there is no limit
 */
export function compileRate(limits: CompileContext, hasAuth: boolean): RateLimits | null {
  const declared = limits.declared['rate'];
  if (declared === false || (declared === undefined && !hasAuth)) return null;
  const rate = { ...limits, declared: readObject(declared), path: [...limits.path, 'rate'] };
  const requests = readNumber(rate.declared['requests']) ?? REQUESTS;
  const whole = { requests, per: compilePer(rate) };
  const instances = readNumber(rate.declared['instances']) ?? 1;
  const search = readNumber(readObject(rate.declared['weights'])['search']) ?? 1;
  if (search > Math.max(1, requests)) {
    const fix = `set it to at most ${requests}, or requests to at least ${search}`;
    rate.report([...rate.path, 'weights', 'search'], 'the weight of a search exceeds the quota of a caller', fix);
  }
  return {
    caller: whole,
    address: hasAuth ? anonymousQuota(whole) : whole,
    instances,
    weights: { search },
  };
}

function compilePer({ declared, path, report }: CompileContext): number {
  const per = parseDuration(readString(declared['per']) ?? '') ?? PER;
  if (per < MIN_PER || per > MAX_PER) {
    report([...path, 'per'], 'per is out of range', 'set it to a value from 1s to 1d; the default is 60s');
  }
  return per;
}

/** Never more than an authenticated caller has, nor than 60 together and one in a second. */
function anonymousQuota({ requests, per }: RateQuota): RateQuota {
  if (requests <= ANONYMOUS.requests) return { requests, per };
  return { requests: ANONYMOUS.requests, per: Math.max(ANONYMOUS.per, (per / requests) * ANONYMOUS.requests) };
}
