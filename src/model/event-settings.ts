/** The retention of events (EVT-8). */
export interface EventSettings {
  /** Milliseconds after which an event is removed. */
  readonly retention: number;
  /** Events that are stored at most, rounded up to what is removed together; null for any number. */
  readonly maxRows: number | null;
}
