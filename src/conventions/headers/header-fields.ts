/** The header fields of a message, by name. */
export interface HeaderFields {
  /** Alternating names and values, in the order and spelling of the message. */
  readonly raw: readonly string[];
  /**
   * The value of a field, several lines joined by `, ` (RFC 9110 5.3); null if absent.
   *
   * @param name in lower case
   */
  get(name: string): string | null;
  /**
   * The values of all lines of a field, in order; empty if absent.
   *
   * @param name in lower case
   */
  lines(name: string): readonly string[];
}

const NONE: readonly string[] = Object.freeze([]);

/**
 * A view of a flat list of names and values. Names are looked up in the list. A request has about a dozen fields and
 * few are read, so an index would cost more than it saves.
 */
export function headerFields(raw: readonly string[]): HeaderFields {
  return new RawFields(raw);
}

class RawFields implements HeaderFields {
  readonly raw: readonly string[];
  /**
   * A bit set of the name lengths, modulo 32. Most fields that are read are absent, and this answers such a look-up
   * without a search.
   */
  readonly #lengths: number;

  constructor(raw: readonly string[]) {
    this.raw = raw;
    let lengths = 0;
    for (let at = 0; at < raw.length; at += 2) lengths |= lengthBit(raw[at] ?? '');
    this.#lengths = lengths;
  }

  get(name: string): string | null {
    const first = this.#find(name, 0);
    if (first === -1) return null;
    return this.#find(name, first + 2) === -1 ? this.#value(first) : this.lines(name).join(', ');
  }

  lines(name: string): readonly string[] {
    let at = this.#find(name, 0);
    if (at === -1) return NONE;
    const values: string[] = [];
    for (; at !== -1; at = this.#find(name, at + 2)) values.push(this.#value(at));
    return values;
  }

  #find(name: string, from: number): number {
    if ((this.#lengths & lengthBit(name)) === 0) return -1;
    for (let at = from; at < this.raw.length; at += 2) {
      const candidate = this.raw[at];
      if (candidate?.length === name.length && candidate.toLowerCase() === name) return at;
    }
    return -1;
  }

  #value(at: number): string {
    return this.raw[at + 1] ?? '';
  }
}

function lengthBit({ length }: string): number {
  return 1 << (length & 31);
}
