/** Time and ids. */
export interface Sources {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /**
   * The time of a write, for `created_at` and `updated_at`: never before an earlier one, nor before the newest of the
   * database (REP-13).
   */
  readonly writtenAt: () => number;
  /** A UUIDv7. */
  readonly uuid: () => string;
  /** Makes a number of unpredictable bytes, two digits each. */
  readonly randomHex: (bytes: number) => string;
  /** Encrypts a secret that the server has to read again. */
  readonly seal: (secret: string) => string;
}
