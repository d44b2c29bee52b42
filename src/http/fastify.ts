import type { FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify';
import { http } from './builtin-http.ts';
import { createListener } from './listener.ts';
import { HEALTH_PATHS, type MountedApi, owns } from './mounted-api.ts';

export type { MountedApi } from './mounted-api.ts';

/** The methods that reach the API, those that none of its targets has too: it says itself which it has (MET-6). */
const ROUTED_METHODS = http.METHODS.filter((method) => method !== 'CONNECT');

export interface RestwrightOptions {
  readonly api: MountedApi;
}

/**
 * A plugin for Fastify 5: `app.register(restwright, { api })` answers the API's base path and health. It is a scope of its own, in which bodies
 * are left for the API to read; hooks of the app run before it.
 */
export const restwright: FastifyPluginCallback<RestwrightOptions> = (app, { api }, done) => {
  const listener = createListener(api);
  const handler = (request: FastifyRequest, reply: FastifyReply): void => {
    reply.hijack();
    listener(request.raw, reply.raw);
  };
  app.removeAllContentTypeParsers();
  // What Fastify would refuse before the API is asked, such as a Content-Type that is none, the API refuses in its own words.
  app.setErrorHandler((_error, request, reply) => handler(request, reply));
  app.addContentTypeParser('*', (_request, _payload, parsed) => parsed(null));
  for (const method of ROUTED_METHODS) {
    if (!app.supportedMethods.includes(method)) app.addHttpMethod(method, { hasBody: true });
  }
  const { basePath } = api.model;
  for (const url of [...(basePath === '' ? [] : [basePath]), `${basePath}/*`, ...HEALTH_PATHS]) {
    app.route({ method: ROUTED_METHODS, url, handler, exposeHeadRoute: false });
  }
  done();
};

/**
 * For the `frameworkErrors` of Fastify's constructor: what Fastify cannot route, such as a URL with a faulty escape, is answered by the API
 * where it is the API's, and else as Fastify would.
 */
export function frameworkErrors(
  api: MountedApi,
): (error: Error & { readonly statusCode?: number }, request: FastifyRequest, reply: FastifyReply) => void {
  const listener = createListener(api);
  return (error, request, reply) => {
    if (owns(api, request.raw.url ?? '')) {
      reply.hijack();
      listener(request.raw, reply.raw);
    } else {
      void reply.status(error.statusCode ?? 400).send(error);
    }
  };
}
