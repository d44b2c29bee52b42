// Events as programs get them from a feed.
import type { ApiTypes, ItemMembers, PartOf, ResourceName } from './api-types.ts';

/** Which events to follow. */
export interface EventOptions<K extends string> {
  /** Ends the loop: it is rejected with the reason of the signal. */
  readonly signal?: AbortSignal;
  /** Further header fields. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Only those of items of these resources. */
  readonly resources?: readonly K[];
  /** Only those of these types: `product.created`. */
  readonly types?: readonly string[];
  /** Only those of the item with this id. */
  readonly resource_id?: string;
  /** The sequence of the last event that the program has; the feed continues after it. By default it begins now. */
  readonly after?: string;
}

/** The members of an item that the model publishes. */
type EventData<I> = { readonly id: string } & Partial<Omit<I, keyof ItemMembers>>;

/** An event: what became of an item of one of the resources `K`. */
export type ResourceEvent<A extends ApiTypes, K extends string = ResourceName<A>> = K extends string
  ? {
      /** The same if the event is received again. */
      readonly id: string;
      /** `product.created`. */
      readonly type: `${string}.${'created' | 'updated' | 'deleted' | 'disabled'}`;
      readonly payload: {
        /** RFC 3339, UTC, milliseconds. */
        readonly timestamp: string;
        readonly resource: { readonly type: string; readonly id: string; readonly url: string };
        /** The items above it, nearest first. */
        readonly parents: readonly { readonly type: string; readonly id: string }[];
        readonly changed_fields: readonly string[];
        /** The item after the event, where the model publishes it; what the caller may not read is missing. */
        readonly data?: EventData<PartOf<A, K, 'item'>>;
      };
      readonly metadata: {
        readonly trace_id: string;
        readonly correlation_id: string;
        readonly schema_version: string;
        /** The position in the log: where `after` continues. */
        readonly sequence: string;
        /** The subject of the caller. */
        readonly actor: string | null;
        /** The caller that wrote; each member is null where it is unknown. */
        readonly caller: {
          readonly issuer: string | null;
          readonly subject: string | null;
          readonly client: string | null;
        };
      };
    }
  : never;
