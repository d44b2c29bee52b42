import { connectRedis } from '../platform/redis.ts';
import { withTimeout } from '../platform/timeout.ts';
import { RedisLender, type RedisLenderOptions } from './redis-lender.ts';

/** The default of `answerTimeout`. */
const ANSWER_TIMEOUT = 250;
/** Milliseconds that the start waits for Redis. */
const START_TIMEOUT = 1_000;
/** Milliseconds between two checks that Redis answers, which also say that this process is there. */
const JOIN_INTERVAL = 5_000;

/** A lender, and what ends it. */
export interface OpenedLender {
  readonly lender: RedisLender;
  readonly close: () => Promise<void>;
}

/** A lender without its connection, and its patience. */
interface OpenLenderOptions extends Omit<RedisLenderOptions, 'redis'> {
  /** Milliseconds that a request waits for Redis, before it is away. Default: 250. */
  readonly answerTimeout?: number;
}

/**
 * Borrows units of rate limits from Redis from now on: also where it is away at the start, and comes back.
 *
 * @param url `redis[s]://[[user]:password@]host[:port][/database]`
 * @throws {RedisClientMissing}
 */
export async function openRedisLender(
  url: string,
  { answerTimeout = ANSWER_TIMEOUT, ...options }: OpenLenderOptions,
): Promise<OpenedLender> {
  const { promise: known, resolve } = Promise.withResolvers<void>();
  let lender: RedisLender | null = null;
  const join = async (): Promise<void> => {
    await lender?.join();
    resolve();
  };
  const onError = (error: Error): void => {
    lender?.setAway(error);
    resolve();
  };
  const redis = await connectRedis({ url, timeout: answerTimeout, onConnected: () => void join(), onError });
  lender = new RedisLender({ ...options, redis });
  await withTimeout(known, START_TIMEOUT, () => undefined);
  const timer = setInterval(() => void join(), JOIN_INTERVAL).unref();
  const opened = lender;
  const close = (): Promise<void> => {
    clearInterval(timer);
    return opened.leave();
  };
  return { lender: opened, close };
}
