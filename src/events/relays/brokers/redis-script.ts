import { redisScript } from '../../../platform/redis.ts';

/** Values of a message in the arguments of the script, after the first argument. */
export const VALUES_OF_MESSAGE = 8;

/**
 * Adds messages to their streams, in order, up to the first that Redis refuses. The first value is `create` where
 * missing streams are created.
 *
 * @returns the number of messages that are stored, the reason why the next is not (empty if all are), and its stream
 */
export const addToStreams = redisScript(`
local create = ARGV[1] == 'create'

-- The value of a name in a flat list of names and values.
local function value(list, name)
  for at = 1, #list, 2 do
    if list[at] == name then return list[at + 1] end
  end
  return nil
end

-- A removed entry was stored before: one with a larger id has been removed too. Streams of other writers, whose ids
-- are times, are far away. Redis before version 7 does not know the largest removed id.
local function was_removed(key, sequence)
  local info = redis.call('XINFO', 'STREAM', key)
  local removed, last = value(info, 'max-deleted-entry-id'), value(info, 'last-generated-id')
  if not removed then return false end
  removed = tonumber(string.match(removed, '^%d+'))
  last = tonumber(string.match(last, '^%d+'))
  return removed >= sequence and last - sequence <= 100000
end

for at = 2, #ARGV, ${VALUES_OF_MESSAGE} do
  local key, sequence, id = KEYS[tonumber(ARGV[at])], ARGV[at + 1], ARGV[at + 2]
  local entry = sequence .. '-0'
  local command = {'XADD', key}
  if not create then command[3] = 'NOMKSTREAM' end
  command[#command + 1] = entry
  for index, name in ipairs({'id', 'type', 'sequence', 'content-type', 'traceparent', 'data'}) do
    command[#command + 1] = name
    command[#command + 1] = ARGV[at + 1 + index]
  end
  local reply = redis.pcall(unpack(command))
  local stored = (at - 2) / ${VALUES_OF_MESSAGE}
  if not reply then return {stored, 'missing', key} end
  if type(reply) == 'table' and reply.err then
    if not string.find(reply.err, 'equal or smaller', 1, true) then return {stored, reply.err, key} end
    local found = redis.call('XRANGE', key, entry, entry)[1]
    if found and value(found[2], 'id') ~= id then return {stored, 'taken', key} end
    if not found and not was_removed(key, tonumber(sequence)) then return {stored, 'passed', key} end
  end
end
return {(#ARGV - 1) / ${VALUES_OF_MESSAGE}, '', ''}
`);
