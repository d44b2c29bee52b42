import type { FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify';
import { http } from './builtin-http.ts';
import { createListener, type Listener } from './listener.ts';
import { type MountedApi, type MountOptions, owns, pathsOutsideBase } from './mounted-api.ts';

export type { MountedApi } from './mounted-api.ts';

/** The methods that are routed to the API, unsupported ones included: the API responds to those itself (MET-6). */
const ROUTED_METHODS = http.METHODS.filter((method) => method !== 'CONNECT');

export interface RestwrightOptions extends MountOptions {
  readonly api: MountedApi;
}

/**
 * A plugin for Fastify 5: `app.register(restwright, { api })` serves the base path and the health checks of the API. It
 * is encapsulated: the API reads bodies itself. Hooks of the app run before it, and header fields that they set are
 * kept.
 *
 * @example
 * ```ts
 * const app = fastify();
 * await app.register(restwright, { api });
 * ```
 */
export const restwright: FastifyPluginCallback<RestwrightOptions> = (app, { api, ...options }, done) => {
  const listener = createListener(api, options);
  const handler = (request: FastifyRequest, reply: FastifyReply): void => {
    respondWith(listener, request, reply);
  };
  app.removeAllContentTypeParsers();
  // Fastify would reject some requests before the API sees them, such as one with an invalid Content-Type.
  app.setErrorHandler((_error, request, reply) => handler(request, reply));
  app.addContentTypeParser('*', (_request, _payload, parsed) => parsed(null));
  for (const method of ROUTED_METHODS) {
    if (!app.supportedMethods.includes(method)) app.addHttpMethod(method, { hasBody: true });
  }
  const urls = routedUrls(api, app.prefix);
  if (urls === null) {
    done(outsidePrefix(api.model.basePath, app.prefix));
    return;
  }
  for (const url of urls) app.route({ method: ROUTED_METHODS, url, handler, exposeHeadRoute: false });
  done();
};

/**
 * The URLs of the API, below the prefix of the plugin. The base path contains the prefix, because links do. What is at
 * the origin, such as health checks, a plugin with a prefix cannot serve.
 *
 * @returns null where the base path is not below the prefix
 */
function routedUrls(api: MountedApi, prefix: string): readonly string[] | null {
  const { basePath } = api.model;
  if (!`${basePath}/`.startsWith(`${prefix}/`)) return null;
  const below = basePath.slice(prefix.length);
  const root = below === '' && prefix === '' ? [] : [below];
  const outside = pathsOutsideBase(api).filter((path) => path.startsWith(`${prefix}/`));
  return [...root, `${below}/*`, ...outside.map((path) => path.slice(prefix.length))];
}

function outsidePrefix(basePath: string, prefix: string): RangeError {
  const fix = `set base_path of the model to ${prefix}${basePath}`;
  return new RangeError(`the base path ${basePath || '/'} is not below the prefix ${prefix}; ${fix}`);
}

/**
 * Creates a handler for the `frameworkErrors` option of Fastify. Requests that Fastify cannot route, such as a URL with
 * an invalid escape, are passed to the API if they belong to it. Fastify responds to the others.
 *
 * @example
 * ```ts
 * const app = fastify({ frameworkErrors: frameworkErrors(api) });
 * ```
 */
export function frameworkErrors(
  api: MountedApi,
  options: MountOptions = {},
): (error: Error & { readonly statusCode?: number }, request: FastifyRequest, reply: FastifyReply) => void {
  const listener = createListener(api, options);
  return (error, request, reply) => {
    if (owns(api, request.raw.url ?? '')) {
      respondWith(listener, request, reply);
    } else {
      void reply.status(error.statusCode ?? 400).send(error);
    }
  };
}

/**
 * Passes a request to the API, with the header fields that hooks have set so far. Fastify itself would drop them with
 * the reply.
 */
function respondWith(listener: Listener, request: FastifyRequest, reply: FastifyReply): void {
  const headers = reply.getHeaders();
  reply.hijack();
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) reply.raw.setHeader(name, value);
  listener(request.raw, reply.raw);
}
