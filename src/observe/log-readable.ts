import { type LogLevel, logEntry } from './log-entry.ts';
import type { Observation } from './observation.ts';

type Colour = 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

const codes: Readonly<Record<Colour, number>> = { dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 };
const levelColours: Readonly<Record<LogLevel, Colour>> = { debug: 'dim', info: 'dim', warn: 'yellow', error: 'red' };

type Paint = (colour: Colour, text: string) => string;

/**
 * One line for a person; an error has its stack below. Control characters are escaped, so that they never reach the
 * terminal.
 *
 * @param time RFC 3339; the time of day is shown
 */
export function readableLine(observation: Observation, time: string, colours: boolean): string {
  const paint: Paint = colours ? (colour, text) => `\u001b[${codes[colour]}m${text}\u001b[0m` : (_, text) => text;
  return `${paint('dim', time.slice(11, 23))} ${describeObservation(observation, paint)}\n`;
}

function describeObservation(observation: Observation, paint: Paint): string {
  if (observation.kind === 'request') return describeRequest(observation, paint);
  if (observation.kind === 'error') return formatErrorReport(observation, paint);
  if (observation.kind === 'schema-changed' && !observation.isNew) return describeMigration(observation);
  const { level, event, fields } = logEntry(observation);
  const { message } = fields;
  if (typeof message === 'string') {
    const label = level === 'info' ? '' : `${paint(levelColours[level], `${level === 'warn' ? 'warning' : level}:`)} `;
    return `${label}${indented(message)}`;
  }
  const members = Object.entries(fields).map(([name, value]) => `${name}=${escapeControls(asText(value))}`);
  return `${paint(levelColours[level], event.replaceAll('_', ' '))} ${members.join(' ')}`;
}

/** One statement on each line. */
function describeMigration({ statements }: Extract<Observation, { kind: 'schema-changed' }>): string {
  const lines = ['database migrated to the model:', ...statements.map((each) => `${each.replaceAll('\n', ' ')};`)];
  return indented(lines.join('\n'));
}

function describeRequest(request: Extract<Observation, { kind: 'request' }>, paint: Paint): string {
  const { fields } = logEntry(request);
  const words = [
    paint(statusColour(request.status), String(request.status)),
    escapeControls(String(fields['method'])),
    escapeControls(String(fields['path'])),
    paint('dim', `${request.duration.toFixed(1)} ms`),
  ];
  if (request.errorCode !== null) words.push(request.errorCode, paint('dim', request.correlationId));
  return words.join(' ');
}

function formatErrorReport(observation: Extract<Observation, { kind: 'error' }>, paint: Paint): string {
  const { error } = observation;
  const report = error instanceof Error ? (error.stack ?? error.message) : `a value of type ${typeof error} was thrown`;
  return `${paint('red', 'error')} ${paint('dim', observation.correlationId ?? '-')} ${indented(report)}`;
}

/** A text of several lines below the first one. */
function indented(text: string): string {
  return text.split('\n').map(escapeControls).join('\n  ');
}

function statusColour(status: number): Colour {
  if (status >= 500) return 'red';
  if (status >= 400) return 'yellow';
  return status >= 300 ? 'cyan' : 'green';
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Makes characters visible that would change a terminal, or the order of its text. */
export function escapeControls(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (hidden) => `\\u{${hidden.codePointAt(0)?.toString(16)}}`);
}
