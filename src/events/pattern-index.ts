import type { Subscription } from './subscriber.ts';

const NONE: readonly Subscription[] = [];

/** The patterns that match an event type. @param type `product.created` */
export function patternsOf(type: string): readonly string[] {
  return ['*', `${type.slice(0, type.lastIndexOf('.'))}.*`, type];
}

/** Finds the subscriptions of an event type, in a time that does not depend on how many there are. */
export class PatternIndex {
  readonly #byPattern: ReadonlyMap<string, readonly Subscription[]>;

  constructor(subscriptions: Iterable<Subscription>) {
    const byPattern = new Map<string, Subscription[]>();
    for (const subscription of subscriptions) {
      for (const pattern of new Set(subscription.patterns)) {
        const known = byPattern.get(pattern);
        if (known === undefined) byPattern.set(pattern, [subscription]);
        else known.push(subscription);
      }
    }
    this.#byPattern = byPattern;
  }

  /** Each subscription once. @param type `product.created` */
  match(type: string): readonly Subscription[] {
    const found = patternsOf(type).flatMap((pattern) => this.#byPattern.get(pattern) ?? NONE);
    return found.length < 2 ? found : [...new Set(found)];
  }
}
