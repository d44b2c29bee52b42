import { handlerTimedOut } from '../conventions/receive-errors.ts';
import { abandon, type ApiResponse, type Handler, type RawRequest } from '../exchange/handler.ts';
import type { MaybePromise } from '../platform/maybe-promise.ts';
import type { MountedApi } from './mounted-api.ts';

/**
 * Handles a request, synchronously where the handler does. Whatever the handler throws becomes an error response; never
 * rejects.
 */
export function handleSafely(handler: Handler, request: RawRequest): MaybePromise<ApiResponse> {
  const refuse = (error: unknown): ApiResponse => handler.refuse(error, request);
  try {
    const response = handler.handle(request);
    return response instanceof Promise ? response.catch(refuse) : response;
  } catch (error) {
    return refuse(error);
  }
}

/** As {@link handleSafely}, with 503 after `handlerTimeout`. The time that a body takes to arrive is added to it. */
export function handleWithTimeout(api: MountedApi, request: RawRequest): MaybePromise<ApiResponse> {
  const response = handleSafely(api, request);
  if (!(response instanceof Promise)) return response;
  const { handlerTimeout, requestTimeout } = api.model.limits;
  const { promise, resolve } = Promise.withResolvers<ApiResponse>();
  const time = handlerTimeout + (request.body === null ? 0 : requestTimeout);
  const timer = setTimeout(() => {
    resolve(api.refuse(handlerTimedOut(), request));
    void response.then(abandon);
  }, time);
  return Promise.race([response, promise]).finally(() => clearTimeout(timer));
}
