/** A database that a test writes as another program would. */
export interface ExistingSource {
  readonly url: string;
  /** Runs statements as another program. */
  readonly change: (sql: string) => Promise<void>;
  /** The first column of the rows of a query. */
  readonly list: (sql: string) => Promise<readonly unknown[]>;
  /** Deletes it. */
  readonly close: () => Promise<void>;
}
