import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Answer, isStreamed } from '../pipeline/exchange.ts';
import { answerInTime } from './answer-in-time.ts';
import { type MountedApi, owns } from './mounted-api.ts';
import { bodyOf, rawRequest } from './raw-request.ts';
import { sendAnswer, sendStream } from './send-answer.ts';

/** A request as frameworks hand it on: Express keeps what it was before a mount point was cut off. */
type ListenedRequest = IncomingMessage & { readonly originalUrl?: string };

/** A listener for `http.createServer`, and a middleware for Express, Connect and the like. */
export type Listener = (request: ListenedRequest, response: ServerResponse, next?: (error?: unknown) => void) => void;

/**
 * Mounts an API in a server of one's own. As a middleware it passes on what is not the API's. It reads bodies itself: mount it before body
 * parsers. What Node's server answers before any listener is asked, such as a fault of the HTTP parser, is that server's.
 */
export function createListener(api: MountedApi): Listener {
  return (request, response, next) => {
    const target = request.originalUrl ?? request.url ?? '';
    if (next !== undefined && !owns(api, target)) next();
    else void answer(api, request, response, target);
  };
}

/** Never rejects. */
async function answer(
  api: MountedApi,
  request: ListenedRequest,
  response: ServerResponse,
  target: string,
): Promise<void> {
  const body = bodyOf(request, null, api.model.limits.requestTimeout);
  const raw = rawRequest(request, body, target);
  const answered =
    body !== null && request.readableEnded
      ? api.refuse(new Error('The body was read before the API could: mount the API before body parsers.'), raw)
      : await answerInTime(api, raw);
  try {
    await send(response, raw.method, answered);
  } catch (error) {
    if (response.headersSent) response.socket?.destroySoon();
    else sendAnswer(response, raw.method, api.refuse(error, raw));
  }
}

async function send(response: ServerResponse, method: string, answered: Answer): Promise<void> {
  if (isStreamed(answered)) await sendStream(response, answered);
  else sendAnswer(response, method, answered);
}
