import { limitByParents } from '../../operations/read/api-keys.ts';
import type { VisibleRows } from '../../operations/visible-rows.ts';
import type { KeyEnd } from '../../model/webhook-checks.ts';

interface KeyEndsOptions {
  readonly rows: VisibleRows;
  /** The name of the resource of API keys. */
  readonly resource: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Keys that are known at a time. */
const MAX_KEYS = 10_000;

/** Finds the API keys that have ended. The time of each is read again only after a change of any key. */
export class KeyEnds {
  readonly #options: KeyEndsOptions;
  /** Milliseconds since the epoch by id; null for a revoked key. */
  readonly #ends = new Map<string, number | null>();
  #stamp = -1;

  constructor(options: KeyEndsOptions) {
    this.#options = options;
  }

  /** Finds the reason for which a key has ended; null if it has not. */
  async find(id: string): Promise<KeyEnd | null> {
    await this.refresh();
    return this.reason(await this.end(id));
  }

  /** Reads the stamp of all keys, which other processes change, too. @returns the stamp */
  async refresh(): Promise<number> {
    const { rows, resource } = this.#options;
    const [stamp = 0] = await rows.resourceStamps([resource]);
    if (stamp !== this.#stamp || this.#ends.size >= MAX_KEYS) this.#ends.clear();
    this.#stamp = stamp;
    return stamp;
  }

  /** Finds the end of a key as of the last {@link refresh}: milliseconds since the epoch; null for a revoked key. */
  async end(id: string): Promise<number | null> {
    const known = this.#ends.get(id);
    const end = known === undefined ? await this.#read(id) : known;
    this.#ends.set(id, end);
    return end;
  }

  /** The reason for which a key with an end has ended; null if it has not. */
  reason(end: number | null): KeyEnd | null {
    if (end === null) return 'key_revoked';
    return end <= this.#options.now() ? 'key_expired' : null;
  }

  async #read(id: string): Promise<number | null> {
    const { rows, resource } = this.#options;
    const row = await rows.item({ resource, id, within: [] });
    const key = row === null ? null : await limitByParents(row, resource, rows);
    return key === null ? null : (key.expiresAt ?? Number.POSITIVE_INFINITY);
  }
}
