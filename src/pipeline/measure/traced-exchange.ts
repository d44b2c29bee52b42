import { pathOfTarget } from '../../conventions/url/url.ts';
import type { MaybePromise } from '../../platform/maybe-promise.ts';
import { channels, publish, type RequestContext } from '../../platform/trace-channels.ts';
import type { ApiResponse } from '../../exchange/handler.ts';
import type { Exchange } from '../../exchange/exchange.ts';

/** Publishes an exchange to the subscribers of its channel, if there are any. */
export function tracedExchange(exchange: Exchange, run: () => MaybePromise<ApiResponse>): MaybePromise<ApiResponse> {
  if (!channels.request.hasSubscribers) return run();
  const context = makeContext(exchange);
  return publish(channels.request, context, run, ({ status }) => {
    const { route, errorCode } = exchange.note;
    Object.assign(context, { route, errorCode, status });
  });
}

function makeContext({
  request: { method, target },
  correlationId,
  trace: { traceId, parentId },
}: Exchange): RequestContext {
  const unknown = { route: null, status: null, errorCode: null };
  return { method, target: pathOfTarget(target), correlationId, traceId, parentId, ...unknown };
}
