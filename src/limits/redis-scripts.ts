import { redisScript } from '../platform/redis.ts';

/** Milliseconds after which an instance that did not say so again is not there any more. */
export const PRESENCE = 60_000;

/**
 * Says that an instance is there, and makes the secret of the hash that all of them use, where there is none yet.
 *
 * Keys: the instances, the secret. Values: the id of the instance, a secret. Returns the secret.
 */
export const JOIN = redisScript(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ${PRESENCE})
redis.call('PEXPIRE', KEYS[1], ${PRESENCE})
redis.call('SETNX', KEYS[2], ARGV[2])
return redis.call('GET', KEYS[2])
`);

/** Says that an instance is not there any more. Keys: the instances. Values: the id of the instance. */
export const LEAVE = redisScript(`return redis.call('ZREM', KEYS[1], ARGV[1])`);

/**
 * Lends units of a bucket as `LendingBuckets` does, by the clock of Redis. A bucket is the time at which it is full,
 * and is deleted then.
 *
 * Keys: the bucket, the instances. Values: requests and milliseconds of the quota, the units that are needed, the share
 * of a quota that may be lent and not used. Returns the units, and in microseconds how long it takes until the bucket
 * is full.
 */
export const LEND = redisScript(`
local requests, per, units, unused = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local interval = per / requests
local lacking = math.min(math.max(tonumber(redis.call('GET', KEYS[1]) or 0) - now, 0), per)
if lacking + units * interval - per > interval / 10000 then
  return {0, math.ceil(lacking * 1000)}
end
local borrowers = math.max(redis.call('ZCARD', KEYS[2]), 1)
local left = math.floor((per - lacking) / interval + 0.0001)
local most = math.min(math.floor(requests * unused / borrowers), math.floor(left / (2 * borrowers)))
local lent = math.max(units, most)
lacking = math.min(lacking + lent * interval, per)
redis.call('SET', KEYS[1], string.format('%.3f', now + lacking), 'PX', math.max(math.ceil(lacking), 1))
return {lent, math.ceil(lacking * 1000)}
`);
