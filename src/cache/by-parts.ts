/** What is made of some texts in their order, remembered. They are looked up one by one: to make one text of them takes several times as long. */
export class ByParts<V> {
  readonly #make: (parts: readonly string[]) => V;
  readonly #most: number;
  #first: Part<V> = newPart();
  #made = 0;
  /** What was asked for before is mostly asked for again. */
  #last: { readonly parts: readonly string[]; readonly made: V } | null = null;

  /** @param most how many are remembered; with one more all are forgotten */
  constructor(most: number, make: (parts: readonly string[]) => V) {
    this.#most = most;
    this.#make = make;
  }

  of(parts: readonly string[]): V {
    if (this.#last !== null && isSame(parts, this.#last.parts)) return this.#last.made;
    const made = this.#find(parts);
    this.#last = { parts, made };
    return made;
  }

  #find(parts: readonly string[]): V {
    let at = this.#first;
    for (const part of parts) at = following(at, part);
    if (at.made !== undefined) return at.made;
    if (this.#made === this.#most) {
      this.#first = newPart();
      this.#made = 0;
      return this.#find(parts);
    }
    this.#made += 1;
    at.made = this.#make(parts);
    return at.made;
  }
}

function isSame(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((part, index) => part === others[index]);
}

/** What some first parts lead to. */
interface Part<V> {
  /** Of the parts up to here; undefined until it is asked for. */
  made: V | undefined;
  readonly next: Map<string, Part<V>>;
}

function newPart<V>(): Part<V> {
  return { made: undefined, next: new Map() };
}

function following<V>({ next }: Part<V>, part: string): Part<V> {
  const known = next.get(part);
  if (known !== undefined) return known;
  const made = newPart<V>();
  next.set(part, made);
  return made;
}
