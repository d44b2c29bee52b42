/** How many statements are kept, and how many characters their texts have together. */
export interface StatementCacheOptions {
  readonly maxStatements?: number;
  readonly maxCharacters?: number;
}

const MAX_STATEMENTS = 512;
/** A prepared statement takes many times the room of its text, and the garbage collector sees nothing of it. */
const MAX_CHARACTERS = 1_048_576;

/** Prepares each text once while it is kept. The least recently used go first. */
export class StatementCache<T> {
  readonly #prepare: (text: string) => T;
  readonly #most: number;
  readonly #mostCharacters: number;
  readonly #kept = new Map<string, T>();
  #characters = 0;
  /** Whether one had to go already: until then it makes no difference which is the least recently used. */
  #full = false;

  constructor(
    prepare: (text: string) => T,
    { maxStatements = MAX_STATEMENTS, maxCharacters = MAX_CHARACTERS }: StatementCacheOptions = {},
  ) {
    this.#prepare = prepare;
    this.#most = maxStatements;
    this.#mostCharacters = maxCharacters;
  }

  get(text: string): T {
    const known = this.#kept.get(text);
    if (known === undefined) return this.#keep(text, this.#prepare(text));
    if (!this.#full) return known;
    this.#kept.delete(text);
    this.#kept.set(text, known);
    return known;
  }

  clear(): void {
    this.#kept.clear();
    this.#characters = 0;
  }

  /** Keeps a statement, however long its text is, and lets go of others until there is room for it. */
  #keep(text: string, prepared: T): T {
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size < this.#most && this.#characters + text.length <= this.#mostCharacters) break;
      this.#kept.delete(oldest);
      this.#characters -= oldest.length;
      this.#full = true;
    }
    this.#kept.set(text, prepared);
    this.#characters += text.length;
    return prepared;
  }
}
