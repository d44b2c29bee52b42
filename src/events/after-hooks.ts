import type { AfterHook, HookServices } from '../model/typescript/hooks.ts';
import type { Model } from '../model/model.ts';
import type { Subscriber } from './subscriber.ts';

/** The prefix of the names of these subscribers. */
export const AFTER_HOOK_PREFIX = 'after:';

/** A subscriber for each `after` hook of a model. @param context services of the application for the hooks */
export function afterHookSubscribers({ resources }: Model, context: HookServices): readonly Subscriber[] {
  return [...resources.values()].flatMap(({ name, singular, hooks }) =>
    (['created', 'updated', 'deleted'] as const).flatMap((verb): Subscriber[] => {
      const hook: AfterHook | null = hooks.after[verb];
      if (hook === null) return [];
      const type = `${singular}.${verb}`;
      return [
        {
          name: `${AFTER_HOOK_PREFIX}${name}.${verb}`,
          accepts: (event) => event.type === type,
          deliver: async (event) => hook(event, context),
        },
      ];
    }),
  );
}
