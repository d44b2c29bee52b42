/** What is `debug` is for metrics and traces; the log of `restwright serve` leaves it out. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** A log entry, independent of the log format. */
export interface LogEntry {
  readonly level: LogLevel;
  readonly event: string;
  /** Members in log order. Values must be serializable as JSON. */
  readonly fields: Readonly<Record<string, unknown>>;
}

export function entry(level: LogLevel, event: string, fields: LogEntry['fields']): LogEntry {
  return { level, event, fields };
}
