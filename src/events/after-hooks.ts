import type { AfterHook, HookServices } from '../model/hooks.ts';
import type { Model } from '../model/model.ts';
import { HOOK_SCHEDULE } from './retry-schedule.ts';
import type { Subscriber, Subscription } from './subscriber.ts';

const READER = 'after';
/** Milliseconds that a hook may take. */
const TIMEOUT = 30_000;
/** Concurrent runs of one hook. */
const CONCURRENCY = 64;

/**
 * Makes subscriptions of the `after` hooks of a model; null if it has none.
 *
 * @param context the services of the application, for the hooks
 */
export function afterHooks({ resources }: Model, context: HookServices): Subscriber | null {
  const hooks = new Map<string, AfterHook>();
  const subscriptions = [...resources.values()].flatMap(({ name, singular, hooks: { after } }) =>
    (['created', 'updated', 'deleted'] as const).flatMap((verb): Subscription[] => {
      const hook = after[verb];
      if (hook === null) return [];
      const subscription = { name: `${READER}:${name}.${verb}`, patterns: [`${singular}.${verb}`], ordered: false };
      hooks.set(subscription.name, hook);
      return [subscription];
    }),
  );
  if (subscriptions.length === 0) return null;
  return {
    name: READER,
    timeout: TIMEOUT,
    schedule: HOOK_SCHEDULE,
    concurrency: CONCURRENCY,
    drainRate: null,
    busyRate: null,
    stamp: () => 0,
    subscriptions: () => subscriptions,
    deliver: async ({ subscription, event }) => {
      await hooks.get(subscription.name)?.(event.event, context);
      return { kind: 'succeeded' };
    },
  };
}
