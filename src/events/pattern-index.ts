import type { Subscription } from './subscriber.ts';

/** Lists the patterns that match an event type. @param type `product.created` */
export function matchingPatterns(type: string): readonly string[] {
  return ['*', `${type.slice(0, type.lastIndexOf('.'))}.*`, type];
}

/** Finds the subscriptions of an event type, in a time that does not depend on how many there are. */
export class PatternIndex {
  readonly #byPattern = new Map<string, Set<Subscription>>();

  constructor(subscriptions: Iterable<Subscription> = []) {
    for (const subscription of subscriptions) this.add(subscription);
  }

  add(subscription: Subscription): void {
    for (const pattern of subscription.patterns) {
      const known = this.#byPattern.get(pattern);
      if (known === undefined) this.#byPattern.set(pattern, new Set([subscription]));
      else known.add(subscription);
    }
  }

  delete(subscription: Subscription): void {
    for (const pattern of subscription.patterns) {
      const known = this.#byPattern.get(pattern);
      known?.delete(subscription);
      if (known?.size === 0) this.#byPattern.delete(pattern);
    }
  }

  /** Finds the subscriptions of an event type, each once. @param type `product.created` */
  match(type: string): readonly Subscription[] {
    const found = matchingPatterns(type).flatMap((pattern) => [...(this.#byPattern.get(pattern) ?? [])]);
    return found.length < 2 ? found : [...new Set(found)];
  }
}
