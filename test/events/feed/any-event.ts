import type { ApiTypes } from '../../../src/client/client.ts';

/** The types of an API whose items have any members. */
export interface AnyEvent extends ApiTypes {
  readonly version: 1 | undefined;
  readonly resources: {
    readonly notes: {
      readonly item: { readonly [name: string]: unknown };
      readonly shown_once: object;
      readonly body: object;
      readonly immutable: never;
      readonly filters: object;
      readonly sort: never;
      readonly relations: object;
      readonly parent: null;
      readonly error_prefix: string;
    };
  };
}
