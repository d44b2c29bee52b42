import type { Json, JsonObject } from '../conventions/json.ts';
import type { CompileContext } from './document/compile-context.ts';
import { numberOf, objectOf, stringOf } from './values/access.ts';
import type { Limits } from './model.ts';
import { DURATION_PATTERN, parseDuration, parseSize, SIZE_PATTERN } from './values/parse-units.ts';

type Unit = 'size' | 'duration' | 'count';

/** A bound that a model may set: its default as it is written, and the range that is allowed. */
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
    description: 'Items on a page where a request names no limit',
  },
  max: {
    unit: 'count',
    default: 100,
    min: 1,
    max: 1000,
    description: 'Most items on a page; a greater limit is clamped',
  },
  max_offset: {
    unit: 'count',
    default: 1_000_000,
    min: 0,
    max: 1_000_000_000,
    description: 'Greatest offset; beyond it a cursor goes on',
  },
  count_cap: {
    unit: 'count',
    default: 10_000,
    min: 1,
    max: 1_000_000_000,
    description: 'Up to how many items a filtered collection is counted',
  },
} as const satisfies Readonly<Record<string, LimitRule>>;

const RULES = {
  body: { unit: 'size', default: '1MiB', min: '1B', max: '256MiB', description: 'Most bytes of a request body' },
  target: { unit: 'size', default: '8KiB', min: '256B', max: '64KiB', description: 'Most bytes of a request target' },
  headers: {
    unit: 'size',
    default: '16KiB',
    min: '1KiB',
    max: '256KiB',
    description: 'Most bytes of all request header fields',
  },
  header_lines: { unit: 'count', default: 100, min: 10, max: 2000, description: 'Most request header lines' },
  depth: { unit: 'count', default: 32, min: 1, max: 256, description: 'Deepest nesting of a JSON body' },
  items: { unit: 'count', default: 10_000, min: 1, max: 1_000_000, description: 'Most items of a list in a body' },
  headers_timeout: {
    unit: 'duration',
    default: '10s',
    min: '10ms',
    max: '1h',
    description: 'Until all request headers are in',
  },
  request_timeout: {
    unit: 'duration',
    default: '30s',
    min: '10ms',
    max: '1d',
    description: 'Until the whole request is in',
  },
  handler_timeout: {
    unit: 'duration',
    default: '30s',
    min: '10ms',
    max: '1d',
    description: 'Until a request is answered',
  },
  statement_timeout: {
    unit: 'duration',
    default: '5s',
    min: '10ms',
    max: '1d',
    description: 'Until a statement of the database is stopped',
  },
  shutdown_timeout: {
    unit: 'duration',
    default: '25s',
    min: '10ms',
    max: '1h',
    description: 'For requests in flight when the server stops',
  },
  event_loop_delay: {
    unit: 'duration',
    default: '500ms',
    min: '10ms',
    max: '1h',
    description: 'Delay of the event loop beyond which requests are refused',
  },
  queue_depth: {
    unit: 'count',
    default: 1000,
    min: 1,
    max: 1_000_000,
    description: 'Waiting writes beyond which requests are refused',
  },
} as const satisfies Readonly<Record<string, LimitRule>>;

/** The JSON Schemas of what `limits` holds, but for `rate`, by name. */
export const limitSchemas: JsonObject = {
  page: {
    type: 'object',
    description: 'The bounds of a page',
    properties: schemasOf(PAGE_RULES),
    additionalProperties: false,
  },
  ...schemasOf(RULES),
};

/**
 * Every bound of the server (LIM-1): what the model declares, else the default. Sizes become bytes, durations milliseconds.
 *
 * @param limits the section `limits`
 */
export function compileLimits(limits: CompileContext): Limits {
  const page = { ...limits, declared: objectOf(limits.declared['page']), path: [...limits.path, 'page'] };
  const pageBound = (name: keyof typeof PAGE_RULES): number => bound(name, PAGE_RULES[name], page);
  const of = (name: keyof typeof RULES): number => bound(name, RULES[name], limits);
  const compiled: Limits = {
    page: {
      default: pageBound('default'),
      max: pageBound('max'),
      maxOffset: pageBound('max_offset'),
      countCap: pageBound('count_cap'),
    },
    body: of('body'),
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
  };
  checkOrder(compiled, limits);
  return compiled;
}

function checkOrder(
  { page, headersTimeout, requestTimeout }: Limits,
  { declared, path, report }: CompileContext,
): void {
  if (page.default > page.max) {
    const at = 'default' in objectOf(declared['page']) ? 'default' : 'max';
    report([...path, 'page', at], 'the default page is longer than the longest', 'let default be at most max');
  }
  if (headersTimeout > requestTimeout) {
    const at = 'headers_timeout' in declared ? 'headers_timeout' : 'request_timeout';
    report(
      [...path, at],
      'the headers may take longer than the whole request',
      'let headers_timeout be at most request_timeout',
    );
  }
}

/** The value of a bound; one outside of its range is announced. Counts are held to theirs by the document's schema. */
function bound(name: string, rule: LimitRule, { declared, path, report }: CompileContext): number {
  const value = inUnit(declared[name], rule.unit);
  if (value === null) return inUnit(rule.default, rule.unit) ?? 0;
  const [min, max] = [inUnit(rule.min, rule.unit) ?? 0, inUnit(rule.max, rule.unit) ?? Infinity];
  if (rule.unit !== 'count' && (value < min || value > max)) {
    report(
      [...path, name],
      `${name} is out of range`,
      `write ${rule.min} to ${rule.max}; the default is ${rule.default}`,
    );
  }
  return value;
}

function inUnit(value: Json | undefined, unit: Unit): number | null {
  switch (unit) {
    case 'size':
      return parseSize(stringOf(value) ?? '');
    case 'duration':
      return parseDuration(stringOf(value) ?? '');
    case 'count':
      return numberOf(value);
  }
}

function schemasOf(rules: Readonly<Record<string, LimitRule>>): JsonObject {
  return Object.fromEntries(Object.entries(rules).map(([name, rule]) => [name, schemaOf(rule)]));
}

function schemaOf({ unit, default: value, min, max, description }: LimitRule): JsonObject {
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
