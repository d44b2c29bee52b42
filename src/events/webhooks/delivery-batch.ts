import type { Observe } from '../../observe/observation.ts';
import type { CreatePlan } from '../../plan/plan.ts';
import { type Store, StoreUnavailable } from '../../stores/store.ts';

/** Maximum rows of one unit, which is written without a pause. */
const MAX_ROWS = 128;

interface DeliveryBatchOptions {
  readonly store: Pick<Store, 'writes'>;
  readonly observe: Observe;
}

/** New deliveries of webhooks that wait to be written, many in one unit. */
export class DeliveryBatch {
  readonly #options: DeliveryBatchOptions;
  #plans: CreatePlan[] = [];

  constructor(options: DeliveryBatchOptions) {
    this.#options = options;
  }

  add(plan: CreatePlan): void {
    this.#plans.push(plan);
  }

  /**
   * Hands them to the store. Deliveries that it cannot write now are written with the next call. Never rejects.
   *
   * @param maxDelay milliseconds that they may wait for a write whose transaction they can share
   * @returns resolves when they are written
   */
  async flush(maxDelay: number): Promise<void> {
    const plans = this.#plans;
    this.#plans = [];
    const units = Array.from({ length: Math.ceil(plans.length / MAX_ROWS) }, (_, index) =>
      plans.slice(index * MAX_ROWS, (index + 1) * MAX_ROWS),
    );
    await Promise.all(units.map((unit) => this.#write(unit, maxDelay)));
  }

  async #write(plans: readonly CreatePlan[], maxDelay: number): Promise<void> {
    if (plans.length === 0) return;
    try {
      const outcome = await this.#options.store.writes.commit({ plans, maxDelay });
      // The deliveries of a webhook that was deleted meanwhile are not listed.
      if (outcome.kind === 'ancestor')
        await this.#write(
          plans.filter(({ within }) => !within.some(({ id }) => id === outcome.id)),
          0,
        );
      else if (outcome.kind !== 'committed') throw new Error(`New deliveries were refused: ${outcome.kind}`);
    } catch (error) {
      if (error instanceof StoreUnavailable) this.#plans = [...plans, ...this.#plans];
      else this.#options.observe({ kind: 'error', correlationId: null, error });
    }
  }
}
