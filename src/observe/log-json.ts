import { memoize } from '../cache/memoize.ts';
import { logEntry } from './log-entry.ts';
import type { Observation } from './observation.ts';

/** What JSON leaves raw and some readers of logs take for the end of a line or for a command: DEL, C1, U+2028, U+2029. */
const RISKY = /[\u007f-\u009f\u2028\u2029]/g;
/** Printable ASCII that JSON writes as it is: what nearly every text of a log is made of. */
const PLAIN = /^[ !#-[\]-~]*$/;

/**
 * One line of JSON (OPS-2): `time`, `level`, `event`, then what the event tells. What a client sent cannot leave its string.
 * Each request has its line, so it is put together here: to have `JSON.stringify` write it and to search all of it takes two fifths longer.
 *
 * @param time RFC 3339
 * @param pid the process that tells it, where there are several
 */
export function jsonLine(observation: Observation, time: string, pid?: number): string {
  const { level, event, fields } = logEntry(observation);
  const process = pid === undefined ? '' : `"pid":${pid},`;
  // What comes first is ours and needs no escapes, as do the names of the fields.
  let line = `{"time":"${time}","level":"${level}",${process}"event":"${event}"`;
  for (const name in fields) line += memberPrefix(name) + serialize(fields[name]);
  return `${line}}\n`;
}

/** How a member begins. Each is put together once: a text of many pieces is many objects until it is written. */
const memberPrefix = memoize((name) => `,"${name}":`);

function serialize(value: unknown): string {
  if (value === null || Number.isFinite(value)) return String(value);
  if (typeof value === 'string' && PLAIN.test(value)) return `"${value}"`;
  return JSON.stringify(value).replace(RISKY, (risky) => `\\u${risky.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
