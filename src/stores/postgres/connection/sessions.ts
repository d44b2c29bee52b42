import { StoreUnavailable } from '../../store.ts';
import type { PostgresConnection } from '../driver/pg.ts';
import { storeError } from '../driver/postgres-errors.ts';

/** Opens a session. */
export type OpenSession = () => Promise<PostgresConnection>;

/** A session that is opened when it is needed, and again once it was lost. */
export class Session {
  readonly #connect: OpenSession;
  #open: PostgresConnection | null = null;
  #connecting: Promise<PostgresConnection> | null = null;
  #isClosed = false;

  constructor(connect: OpenSession) {
    this.#connect = connect;
  }

  /** The session; null where it is not open. */
  get opened(): PostgresConnection | null {
    return this.#open?.isOpen === true ? this.#open : null;
  }

  /** @throws {StoreUnavailable} where it cannot be opened */
  open(): Promise<PostgresConnection> {
    if (this.#isClosed) return Promise.reject(new StoreUnavailable('The store is closed'));
    const { opened } = this;
    return opened === null ? (this.#connecting ??= this.#reconnect()) : Promise.resolve(opened);
  }

  /** Gives the session up without waiting for its end: the next one is opened when it is needed. */
  discard(): void {
    const session = this.opened;
    this.#open = null;
    void session?.close();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const session = this.opened ?? (await this.#connecting?.catch(() => null)) ?? null;
    await session?.close();
  }

  async #reconnect(): Promise<PostgresConnection> {
    try {
      this.#open = await this.#connect();
      return this.#open;
    } catch (error) {
      throw storeError(error);
    } finally {
      this.#connecting = null;
    }
  }
}
