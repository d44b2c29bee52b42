import type { ApiSchema } from '../schema/api-schema.ts';

/** Lists the scopes that the description of an API names, in alphabetical order. */
export function listScopes({ collections }: ApiSchema): readonly string[] {
  const scopes = [...collections.values()].flatMap(({ methods, states }) => [
    ...[...methods.values()].flatMap((each) => each ?? []),
    ...(states?.transitions ?? []).flatMap(({ scope }) => scope ?? []),
  ]);
  return [...new Set(scopes)].toSorted();
}
