import { logEntry } from './log-entry.ts';
import type { Observation } from './observation.ts';

/** What JSON leaves raw and some readers of logs take for the end of a line or for a command: DEL, C1, U+2028, U+2029. */
const RISKY = /[\u007f-\u009f\u2028\u2029]/g;

/**
 * One line of JSON (OPS-2): `time`, `level`, `event`, then what the event tells. What a client sent cannot leave its string.
 *
 * @param time RFC 3339
 * @param pid the process that tells it, where there are several
 */
export function jsonLine(observation: Observation, time: string, pid?: number): string {
  const { level, event, fields } = logEntry(observation);
  const process = pid === undefined ? '' : `"pid":${pid},`;
  // What comes first is ours and needs no escapes.
  return `{"time":"${time}","level":"${level}",${process}"event":"${event}",${harmless(JSON.stringify(fields)).slice(1)}\n`;
}

function harmless(json: string): string {
  if (json.search(RISKY) === -1) return json;
  return json.replace(RISKY, (risky) => `\\u${risky.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
