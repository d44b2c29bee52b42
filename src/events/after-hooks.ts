import type { AfterHook, HookServices } from '../model/typescript/hooks.ts';
import type { Model } from '../model/model.ts';
import type { Outlet } from './outlet.ts';

/** What the names of these outlets begin with. */
export const AFTER = 'after:';

/** An outlet for each `after` hook of a model. @param context what the hooks get of the application */
export function afterOutlets({ resources }: Model, context: HookServices): readonly Outlet[] {
  return [...resources.values()].flatMap(({ name, singular, hooks }) =>
    (['created', 'updated', 'deleted'] as const).flatMap((verb): Outlet[] => {
      const hook: AfterHook | null = hooks.after[verb];
      if (hook === null) return [];
      const type = `${singular}.${verb}`;
      return [
        {
          name: `${AFTER}${name}.${verb}`,
          accepts: (event) => event.type === type,
          deliver: async (event) => hook(event, context),
        },
      ];
    }),
  );
}
