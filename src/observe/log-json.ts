import { memoize } from '../cache/memoize.ts';
import { logEntry } from './log-entry.ts';
import type { Observation, RequestObservation } from './observation.ts';
import { requestFields, requestLevel } from './request-fields.ts';

/**
 * Characters that JSON does not escape and some log readers treat as line ends or commands: DEL, C1, U+2028, U+2029.
 */
const RISKY = /[\u007f-\u009f\u2028\u2029]/g;
/** Printable ASCII without JSON escapes: nearly every string in the log. */
const PLAIN = /^[ !#-[\]-~]*$/;

/**
 * One line of JSON (OPS-2): `time`, `level`, `event`, then the fields of the event. Input of clients stays within its
 * string.
 *
 * @param time RFC 3339
 * @param pid the process that writes the line, if several write one log
 */
export function jsonLine(observation: Observation, time: string, pid?: number): string {
  if (observation.kind === 'request') return requestLine(observation, time, pid);
  const { level, event, fields } = logEntry(observation);
  const process = pid === undefined ? '' : `"pid":${pid},`;
  // Neither these values nor the names of the fields need escapes.
  let line = `{"time":"${time}","level":"${level}",${process}"event":"${event}"`;
  for (const name in fields) line += memberPrefix(name) + serialize(fields[name]);
  return `${line}}\n`;
}

/**
 * The line of a request, as its entry says it. Every request is logged: without a loop over the members, and a check of
 * strings that come again and again, this takes half the time.
 */
function requestLine(request: RequestObservation, time: string, pid: number | undefined): string {
  const fields = requestFields(request);
  const { method, path, route, status, error_code: code, duration_ms: duration } = fields;
  const process = pid === undefined ? '' : `"pid":${pid},`;
  const head = `{"time":"${time}","level":"${requestLevel(request)}",${process}"event":"request","method":${knownText(method)}`;
  const pattern = route === null ? 'null' : knownText(route);
  const error = code === null ? 'null' : knownText(code);
  const result = `"status":${status},"error_code":${error},"duration_ms":${duration}`;
  const ids = `"correlation_id":${serialize(fields.correlation_id)},"trace_id":${serialize(fields.trace_id)}`;
  return `${head},"path":${serialize(path)},"route":${pattern},${result},${ids}}\n`;
}

/** The JSON of the few methods, routes and error codes. */
const knownText = memoize(serialize);

/** The start of a member, built once per name: concatenated strings cost memory until they are flattened. */
const memberPrefix = memoize((name) => `,"${name}":`);

function serialize(value: unknown): string {
  if (value === null || Number.isFinite(value)) return String(value);
  if (typeof value === 'string' && PLAIN.test(value)) return `"${value}"`;
  return JSON.stringify(value).replace(RISKY, (risky) => `\\u${risky.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
