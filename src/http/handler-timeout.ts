import { apiError } from '../conventions/errors.ts';
import type { ApiResponse, RawRequest } from '../pipeline/exchange.ts';
import { attempt, type MaybePromise } from '../platform/maybe-promise.ts';
import type { MountedApi } from './mounted-api.ts';

/** The refusal of a request whose answer took too long (LIM-1). */
export function handlerTimedOut(): unknown {
  return apiError('SERVER_TIMEOUT', 'The server took too long to answer; send the request again later.', {
    headers: { 'Retry-After': '1' },
  });
}

/** The answer of an API, or 503 where it does not come in time. A body may take its own time to arrive. Never rejects. */
export function handleWithTimeout(api: MountedApi, request: RawRequest): MaybePromise<ApiResponse> {
  const answered = attempt(
    () => api.handle(request),
    (error) => api.refuse(error, request),
  );
  if (!(answered instanceof Promise)) return answered;
  const { handlerTimeout, requestTimeout } = api.model.limits;
  const { promise, resolve } = Promise.withResolvers<ApiResponse>();
  const time = handlerTimeout + (request.body === null ? 0 : requestTimeout);
  const timer = setTimeout(() => resolve(api.refuse(handlerTimedOut(), request)), time);
  return Promise.race([answered, promise]).finally(() => clearTimeout(timer));
}
