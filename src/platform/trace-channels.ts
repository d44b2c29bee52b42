import { type TracingChannel, tracingChannel } from 'node:diagnostics_channel';
import type { MaybePromise } from './maybe-promise.ts';

/**
 * The operation that subscribers of its channel see; `error` once it has failed. A subscriber may add members of its
 * own.
 */
interface OperationContext {
  error?: unknown;
}

/** A request, as subscribers of `restwright:request` see it. What is not known yet is null. */
export interface RequestContext extends OperationContext {
  readonly method: string;
  /** The path without the query. */
  readonly target: string;
  readonly correlationId: string;
  readonly traceId: string;
  readonly parentId: string | null;
  /** The pattern of the path, with the end of the operation. */
  route: string | null;
  status: number | null;
  errorCode: string | null;
}

/** A read or a commit, as subscribers of `restwright:store` see it. */
export interface StoreContext extends OperationContext {
  readonly operation: 'item' | 'list' | 'lookup' | 'related' | 'missing-ancestor' | 'missing-references' | 'commit';
  /** The resource that is read; null where there is not one. */
  readonly resource: string | null;
}

/** An attempt to deliver an event, as subscribers of `restwright:delivery` see it. */
export interface DeliveryContext extends OperationContext {
  readonly endpoint: string;
  readonly eventId: string;
  readonly eventType: string;
  /** From 1. */
  readonly attempt: number;
  /** With the end of the operation. */
  result: 'succeeded' | 'failed' | 'refused' | null;
}

/**
 * The tracing channels of Node.js that an API publishes (OPS-2): `tracing:restwright:request:start` and so on. Tools
 * that know no Restwright subscribe to them; a store that they bind to `start` is there for hooks, too. Without a
 * subscriber they cost nothing.
 */
export const channels = {
  request: tracingChannel<RequestContext>('restwright:request'),
  store: tracingChannel<StoreContext>('restwright:store'),
  delivery: tracingChannel<DeliveryContext>('restwright:delivery'),
} as const;

/**
 * Runs an operation and publishes it. As `tracePromise`, but that an operation that is synchronous stays so.
 *
 * @param complete sets what is known of the result, before the end is published
 */
export function publish<C extends OperationContext, T>(
  channel: TracingChannel<C>,
  context: C,
  run: () => MaybePromise<T>,
  complete: (result: T) => unknown = () => undefined,
): MaybePromise<T> {
  const fail = (error: unknown): never => {
    context.error = error;
    channel.error.publish(context);
    throw error;
  };
  const succeed = (result: T): T => {
    complete(result);
    return result;
  };
  const settle = <R>(follow: () => R): R => {
    channel.asyncStart.publish(context);
    try {
      return follow();
    } finally {
      channel.asyncEnd.publish(context);
    }
  };
  return channel.start.runStores(context, () => {
    try {
      const result = run();
      if (!(result instanceof Promise)) return succeed(result);
      return result.then(
        (value) => settle(() => succeed(value)),
        (error: unknown) => settle(() => fail(error)),
      );
    } catch (error) {
      return fail(error);
    } finally {
      channel.end.publish(context);
    }
  });
}
