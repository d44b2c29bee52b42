/** Most names that a walk over a list finds faster than a hash does. */
const FEW = 16;

/** The names of one object's members. */
export class MemberNames {
  readonly #few: string[] = [];
  #many: Set<string> | null = null;

  /** Whether the name is new. */
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
