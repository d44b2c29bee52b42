/** A caller of a contract. */
export interface ContractCaller {
  readonly caller: string;
  readonly requests: number;
  /** The time of its last request, RFC 3339; null where the log does not say. */
  readonly last: string | null;
}

/** The use of a contract, as a log or metrics have it. */
export interface ContractUse {
  readonly requests: number;
  /** The callers with the most requests, the most first; null where only numbers are known. */
  readonly callers: readonly ContractCaller[] | null;
  /** True if there were more callers than are counted by name. */
  readonly hasMore: boolean;
}

/** By version: `1.4.0`. */
export type UseByVersion = ReadonlyMap<string, ContractUse>;

/** The versions that a log or metrics can have, at most: those of a model are few. */
const MAX_VERSIONS = 100;
/** The callers of a version that are counted by name. */
const MAX_CALLERS = 10_000;
/** Characters of a name. */
const MAX_NAME = 1_024;

const VERSION = /^\d{1,9}\.\d{1,9}\.\d{1,9}$/;

interface CountedUse {
  requests: number;
  readonly callers: Map<string, { requests: number; last: string | null }>;
  hasMore: boolean;
}

/** Counts the requests of each contract and caller, in bounded memory. */
export class UseCounter {
  readonly #versions = new Map<string, CountedUse>();
  readonly #hasCallers: boolean;

  /** @param hasCallers false where requests come without their callers */
  constructor(hasCallers: boolean) {
    this.#hasCallers = hasCallers;
  }

  /** Ignores what is no version. */
  add(version: string, requests: number): CountedUse | null {
    const known = this.#versions.get(version);
    if (known === undefined && (this.#versions.size >= MAX_VERSIONS || !VERSION.test(version))) return null;
    const use = known ?? { requests: 0, callers: new Map(), hasMore: false };
    this.#versions.set(version, use);
    use.requests += requests;
    return use;
  }

  addCaller(version: string, name: string, time: string | null): void {
    const use = this.add(version, 1);
    if (use === null) return;
    const caller = name.slice(0, MAX_NAME);
    const known = use.callers.get(caller);
    if (known === undefined && use.callers.size >= MAX_CALLERS) {
      use.hasMore = true;
      return;
    }
    use.callers.set(caller, { requests: (known?.requests ?? 0) + 1, last: time ?? known?.last ?? null });
  }

  result(): UseByVersion {
    return new Map(
      [...this.#versions].map(([version, { requests, callers, hasMore }]): [string, ContractUse] => {
        const all = [...callers].map(([caller, each]): ContractCaller => ({ caller, ...each }));
        const sorted = all.toSorted((one, other) => other.requests - one.requests);
        return [version, { requests, callers: this.#hasCallers ? sorted : null, hasMore }];
      }),
    );
  }
}
