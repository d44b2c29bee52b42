import type { Json, JsonObject } from '../../conventions/json/json.ts';
import type { CompileContext } from './compile-context.ts';
import { readNumber, readObject, readString } from '../values/access.ts';
import type { Limits } from '../model.ts';
import { compileRate, rateSchema } from './rate-limits.ts';
import { DURATION_PATTERN, parseDuration, parseSize, SIZE_PATTERN } from '../values/parse-units.ts';

type Unit = 'size' | 'duration' | 'count';

/** A limit that a model may set, with its default and range in the notation of the document. */
interface LimitRule {
  readonly unit: Unit;
  readonly default: string | number;
  readonly min: string | number;
  readonly max: string | number;
  readonly description: string;
}

const PAGE_RULES = {
  default: {
    unit: 'count',
    default: 20,
    min: 1,
    max: 1000,
    description: 'Items per page for requests without a limit',
  },
  max: {
    unit: 'count',
    default: 100,
    min: 1,
    max: 1000,
    description: 'Maximum items per page; larger limits are clamped',
  },
  max_offset: {
    unit: 'count',
    default: 1_000_000,
    min: 0,
    max: 1_000_000_000,
    description: 'Maximum offset; clients use cursors beyond it',
  },
  count_cap: {
    unit: 'count',
    default: 10_000,
    min: 1,
    max: 1_000_000_000,
    description: 'Maximum items that are counted in a filtered collection',
  },
  bytes: {
    unit: 'size',
    default: '16MiB',
    min: '1KiB',
    max: '256MiB',
    description: 'Maximum bytes of a page as JSON; it ends early where the next item exceeds them',
  },
} as const satisfies Readonly<Record<string, LimitRule>>;

const FEED_RULES = {
  per_caller: {
    unit: 'count',
    default: 4,
    min: 1,
    max: 100_000,
    description: 'Open feeds of one caller, or of one address without credentials',
  },
  total: { unit: 'count', default: 1_000, min: 1, max: 100_000, description: 'Open feeds of one process' },
} as const satisfies Readonly<Record<string, LimitRule>>;

const RULES = {
  body: { unit: 'size', default: '1MiB', min: '1B', max: '256MiB', description: 'Maximum bytes of a request body' },
  body_memory: {
    unit: 'size',
    default: '64MiB',
    min: '1B',
    max: '65536MiB',
    description: 'Maximum bytes of all request bodies that are being received at the same time',
  },
  row: {
    unit: 'size',
    default: '2MiB',
    min: '1B',
    max: '512MiB',
    description: 'Maximum bytes of one resource as JSON; writes that would make it larger are refused',
  },
  target: {
    unit: 'size',
    default: '8KiB',
    min: '256B',
    max: '64KiB',
    description: 'Maximum bytes of a request target',
  },
  headers: {
    unit: 'size',
    default: '16KiB',
    min: '1KiB',
    max: '256KiB',
    description: 'Maximum bytes of all request header fields',
  },
  header_lines: {
    unit: 'count',
    default: 100,
    min: 10,
    max: 2000,
    description: 'Maximum number of request header lines',
  },
  depth: { unit: 'count', default: 32, min: 1, max: 256, description: 'Maximum nesting of a request body' },
  items: {
    unit: 'count',
    default: 10_000,
    min: 1,
    max: 1_000_000,
    description: 'Maximum items of an array in a request body',
  },
  headers_timeout: {
    unit: 'duration',
    default: '10s',
    min: '10ms',
    max: '1h',
    description: 'Maximum time to receive the request headers',
  },
  request_timeout: {
    unit: 'duration',
    default: '30s',
    min: '10ms',
    max: '1d',
    description: 'Maximum time to receive the request',
  },
  handler_timeout: {
    unit: 'duration',
    default: '30s',
    min: '10ms',
    max: '1d',
    description: 'Maximum time to respond',
  },
  statement_timeout: {
    unit: 'duration',
    default: '5s',
    min: '10ms',
    max: '1d',
    description: 'Maximum time of a database statement',
  },
  shutdown_timeout: {
    unit: 'duration',
    default: '25s',
    min: '10ms',
    max: '1h',
    description: 'Maximum time to finish requests in flight at shutdown',
  },
  event_loop_delay: {
    unit: 'duration',
    default: '500ms',
    min: '10ms',
    max: '1h',
    description: 'Delay of the event loop above which requests are rejected',
  },
  queue_depth: {
    unit: 'count',
    default: 1000,
    min: 1,
    max: 1_000_000,
    description: 'Number of queued writes above which requests are rejected',
  },
  response_memory: {
    unit: 'size',
    default: '256MiB',
    min: '1KiB',
    max: '65536MiB',
    description: 'Bytes of responses that clients have not read yet, above which requests are rejected',
  },
} as const satisfies Readonly<Record<string, LimitRule>>;

/** The JSON Schemas of the members of `limits`. */
export const limitSchemas: JsonObject = {
  page: {
    type: 'object',
    description: 'Limits of pagination',
    properties: describeRules(PAGE_RULES),
    additionalProperties: false,
  },
  ...describeRules(RULES),
  feeds: {
    type: 'object',
    description: 'Limits of live feeds of events',
    properties: describeRules(FEED_RULES),
    additionalProperties: false,
  },
  rate: rateSchema,
};

/**
 * Compiles the limits of the server (LIM-1), declared or default. Sizes become bytes, durations milliseconds.
 *
 * @param limits the section `limits`
 * @param hasAuth whether callers authenticate
 */
export function compileLimits(limits: CompileContext, hasAuth: boolean): Limits {
  const page = { ...limits, declared: readObject(limits.declared['page']), path: [...limits.path, 'page'] };
  const pageLimit = (name: keyof typeof PAGE_RULES): number => compileLimit(name, PAGE_RULES[name], page);
  const feeds = { ...limits, declared: readObject(limits.declared['feeds']), path: [...limits.path, 'feeds'] };
  const feedLimit = (name: keyof typeof FEED_RULES): number => compileLimit(name, FEED_RULES[name], feeds);
  const of = (name: keyof typeof RULES): number => compileLimit(name, RULES[name], limits);
  const compiled: Limits = {
    page: {
      default: pageLimit('default'),
      max: pageLimit('max'),
      maxOffset: pageLimit('max_offset'),
      countCap: pageLimit('count_cap'),
      bytes: pageLimit('bytes'),
    },
    body: of('body'),
    // At least one body fits.
    bodyMemory: 'body_memory' in limits.declared ? of('body_memory') : Math.max(of('body'), of('body_memory')),
    // Twice as much as a body, so that a row can grow.
    row: 'row' in limits.declared ? of('row') : Math.max(2 * of('body'), of('row')),
    target: of('target'),
    headers: of('headers'),
    headerLines: of('header_lines'),
    depth: of('depth'),
    items: of('items'),
    headersTimeout: of('headers_timeout'),
    requestTimeout: of('request_timeout'),
    handlerTimeout: of('handler_timeout'),
    statementTimeout: of('statement_timeout'),
    shutdownTimeout: of('shutdown_timeout'),
    eventLoopDelay: of('event_loop_delay'),
    queueDepth: of('queue_depth'),
    responseMemory: of('response_memory'),
    feeds: { perCaller: feedLimit('per_caller'), total: feedLimit('total') },
    rate: compileRate(limits, hasAuth),
  };
  checkOrder(compiled, limits);
  return compiled;
}

function checkOrder(
  { page, body, bodyMemory, headersTimeout, requestTimeout }: Limits,
  { declared, path, report }: CompileContext,
): void {
  if (page.default > page.max) {
    const at = 'default' in readObject(declared['page']) ? 'default' : 'max';
    report([...path, 'page', at], 'the default page size exceeds the maximum', 'set default to at most max');
  }
  if (body > bodyMemory) {
    report([...path, 'body_memory'], 'body_memory is less than body', 'set body_memory to at least body');
  }
  if (headersTimeout > requestTimeout) {
    const at = 'headers_timeout' in declared ? 'headers_timeout' : 'request_timeout';
    report([...path, at], 'headers_timeout exceeds request_timeout', 'set headers_timeout to at most request_timeout');
  }
}

/** Reports sizes and durations outside of their range. The document schema checks the range of counts. */
function compileLimit(name: string, rule: LimitRule, { declared, path, report }: CompileContext): number {
  const value = inUnit(declared[name], rule.unit);
  if (value === null) return inUnit(rule.default, rule.unit) ?? 0;
  const [min, max] = [inUnit(rule.min, rule.unit) ?? 0, inUnit(rule.max, rule.unit) ?? Infinity];
  if (rule.unit !== 'count' && (value < min || value > max)) {
    report(
      [...path, name],
      `${name} is out of range`,
      `set it to a value from ${rule.min} to ${rule.max}; the default is ${rule.default}`,
    );
  }
  return value;
}

function inUnit(value: Json | undefined, unit: Unit): number | null {
  switch (unit) {
    case 'size':
      return parseSize(readString(value) ?? '');
    case 'duration':
      return parseDuration(readString(value) ?? '');
    case 'count':
      return readNumber(value);
  }
}

function describeRules(rules: Readonly<Record<string, LimitRule>>): JsonObject {
  return Object.fromEntries(Object.entries(rules).map(([name, rule]) => [name, describeRule(rule)]));
}

function describeRule({ unit, default: value, min, max, description }: LimitRule): JsonObject {
  switch (unit) {
    case 'size':
      return {
        type: 'string',
        pattern: SIZE_PATTERN,
        default: value,
        description: `${description}, such as 512KiB or 1MiB`,
      };
    case 'duration':
      return {
        type: 'string',
        pattern: DURATION_PATTERN,
        default: value,
        description: `${description}, such as 500ms or 30s`,
      };
    case 'count':
      return { type: 'integer', minimum: min, maximum: max, default: value, description };
  }
}
