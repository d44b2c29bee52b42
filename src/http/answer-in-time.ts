import { refusal } from '../conventions/errors.ts';
import type { Answer, RawRequest } from '../pipeline/exchange.ts';
import type { MountedApi } from './mounted-api.ts';

/** The refusal of a request whose answer took too long (LIM-1). */
export function handlerTimedOut(): unknown {
  return refusal('SERVER_TIMEOUT', 'The server took too long to answer; send the request again later.', {
    headers: { 'Retry-After': '1' },
  });
}

/** The answer of an API, or 503 where it does not come in time. A body may take its own time to arrive. Never rejects. */
export async function answerInTime(api: MountedApi, request: RawRequest): Promise<Answer> {
  const { handlerTimeout, requestTimeout } = api.model.limits;
  const { promise, resolve } = Promise.withResolvers<Answer>();
  const time = handlerTimeout + (request.body === null ? 0 : requestTimeout);
  const timer = setTimeout(() => resolve(api.refuse(handlerTimedOut(), request)), time);
  try {
    return await Promise.race([api.handle(request), promise]);
  } catch (error) {
    return api.refuse(error, request);
  } finally {
    clearTimeout(timer);
  }
}
