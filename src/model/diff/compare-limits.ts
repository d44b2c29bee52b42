import type { Limits } from '../model.ts';
import type { RateLimits, RateQuota } from '../rate-quota.ts';
import { amount, type Comparer, type Comparers, compareMembers, type Pair, unseen } from './comparers.ts';
import { type Difference, difference, inside, type Place } from './difference.ts';

const OVERLOAD = unseen('protects the server from overload, which clients meet as 503 at any value');

const PAGE_COMPARERS = {
  default: inLimit('default', (was, is, here) =>
    was === is ? [] : [difference('page-size-changed', here, `a page without limit has ${is} items, had ${was}`)],
  ),
  max: inLimit('max', amount(['page-maximum-lowered', 'page-maximum-raised'], 'the largest limit')),
  maxOffset: limit('max_offset', 'the largest offset'),
  countCap: inLimit('count_cap', amount(['page-reach-lowered', 'page-reach-raised'], 'the largest count of items')),
  bytes: inLimit('bytes', amount(['page-reach-lowered', 'page-reach-raised'], 'the number of bytes of a page')),
} satisfies Comparers<Limits['page']>;

const FEED_COMPARERS = {
  perCaller: inLimit('per_caller', amount(['limit-lowered', 'limit-raised'], 'the number of feeds of a caller')),
  total: OVERLOAD,
} satisfies Comparers<Limits['feeds']>;

/** The comparers of the limits that refuse requests of any single client. */
export const LIMIT_COMPARERS = {
  page: inLimit('page', (was, is, here) => compareMembers(PAGE_COMPARERS, [was, is], here)),
  body: limit('body', 'the number of bytes of a body'),
  bodyMemory: OVERLOAD,
  row: limit('row', 'the number of bytes of a row'),
  target: limit('target', 'the number of bytes of a request target'),
  headers: limit('headers', 'the number of bytes of header fields'),
  headerLines: limit('header_lines', 'the number of header lines'),
  depth: limit('depth', 'the nesting of a body'),
  items: limit('items', 'the number of items of an array'),
  headersTimeout: timeout('headers_timeout', 'request headers'),
  requestTimeout: timeout('request_timeout', 'a request'),
  handlerTimeout: timeout('handler_timeout', 'a response'),
  statementTimeout: timeout('statement_timeout', 'a query'),
  shutdownTimeout: unseen('of the process'),
  eventLoopDelay: OVERLOAD,
  queueDepth: OVERLOAD,
  responseMemory: OVERLOAD,
  feeds: inLimit('feeds', (was, is, here) => compareMembers(FEED_COMPARERS, [was, is], here)),
  rate: inLimit('rate', (was, is, here) => compareRate([was, is], here)),
} satisfies Comparers<Limits>;

const RATE_COMPARERS = {
  caller: quota('a caller may make'),
  address: quota('an address without a caller may make'),
  instances: unseen('of the deployment: all instances together admit the same'),
  weights: (was, is, at) => compareMembers(WEIGHT_COMPARERS, [was, is], at),
} satisfies Comparers<RateLimits>;

const WEIGHT_COMPARERS = {
  search: amount(['rate-raised', 'rate-lowered'], 'the weight of a search'),
} satisfies Comparers<RateLimits['weights']>;

function limit(name: string, what: string): Comparer<number> {
  return inLimit(name, amount(['limit-lowered', 'limit-raised'], what));
}

function timeout(name: string, what: string): Comparer<number> {
  return inLimit(name, amount(['timeout-changed', 'timeout-changed'], `the time for ${what}, in milliseconds,`));
}

/** Compares at the place that a limit has in a model document. */
function inLimit<V>(name: string, compare: Comparer<V>): Comparer<V> {
  return (was, is, parent, whole) => compare(was, is, inside(parent, name), whole);
}

function compareRate([was, is]: Pair<RateLimits | null>, here: Place): readonly Difference[] {
  if (was !== null && is !== null) return compareMembers<RateLimits, Place>(RATE_COMPARERS, [was, is], here);
  if (was !== null) return [difference('rate-raised', here, 'the rate of requests is not limited')];
  if (is === null) return [];
  return [difference('rate-lowered', here, `the rate of requests is limited: ${describeQuota(is.caller)}`)];
}

/** A quota that admits fewer requests together, or fewer on average, is lower. */
function quota(what: string): Comparer<RateQuota> {
  return (was, is, at) => {
    const isLower = is.requests < was.requests || is.requests * was.per < was.requests * is.per;
    const isSame = is.requests === was.requests && is.per === was.per;
    if (isSame) return [];
    const text = `${what} ${describeQuota(is)}, was ${describeQuota(was)}`;
    return [difference(isLower ? 'rate-lowered' : 'rate-raised', at, text)];
  };
}

function describeQuota({ requests, per }: RateQuota): string {
  return `${requests} requests in ${per / 1000} s`;
}
