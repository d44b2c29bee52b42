export interface StatementCacheOptions {
  /** The most cached statements. Default: 512. */
  readonly maxStatements?: number;
  /** The most characters of their texts. Default: 1,048,576. */
  readonly maxCharacters?: number;
}

const MAX_STATEMENTS = 512;
/** A prepared statement takes many times the memory of its text, which the garbage collector does not see. */
const MAX_CHARACTERS = 1_048_576;

/** Caches prepared statements by their text. Evicts the least recently used first. */
export class StatementCache<T> {
  readonly #prepare: (text: string) => T;
  readonly #maxStatements: number;
  readonly #maxCharacters: number;
  readonly #statements = new Map<string, T>();
  #characters = 0;
  /** Whether one was evicted. Until then the order of use does not matter. */
  #hasEvicted = false;

  constructor(
    prepare: (text: string) => T,
    { maxStatements = MAX_STATEMENTS, maxCharacters = MAX_CHARACTERS }: StatementCacheOptions = {},
  ) {
    this.#prepare = prepare;
    this.#maxStatements = maxStatements;
    this.#maxCharacters = maxCharacters;
  }

  get(text: string): T {
    const cached = this.#statements.get(text);
    if (cached === undefined) return this.#set(text, this.#prepare(text));
    if (!this.#hasEvicted) return cached;
    this.#statements.delete(text);
    this.#statements.set(text, cached);
    return cached;
  }

  clear(): void {
    this.#statements.clear();
    this.#characters = 0;
  }

  /** Caches a statement, however long its text is, and evicts others until there is room. */
  #set(text: string, prepared: T): T {
    for (const oldest of this.#statements.keys()) {
      if (this.#statements.size < this.#maxStatements && this.#characters + text.length <= this.#maxCharacters) break;
      this.#statements.delete(oldest);
      this.#characters -= oldest.length;
      this.#hasEvicted = true;
    }
    this.#statements.set(text, prepared);
    this.#characters += text.length;
    return prepared;
  }
}
