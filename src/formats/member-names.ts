/** Up to this number, searching a list is faster than hashing. */
const FEW = 16;

/** The set of an object's member names, to detect duplicates. */
export class MemberNames {
  readonly #few: string[] = [];
  #many: Set<string> | null = null;

  /** Adds a name. Returns whether it is new. */
  add(name: string): boolean {
    if (this.#many !== null) {
      const size = this.#many.size;
      return this.#many.add(name).size > size;
    }
    if (this.#few.includes(name)) return false;
    this.#few.push(name);
    if (this.#few.length > FEW) this.#many = new Set(this.#few);
    return true;
  }
}
