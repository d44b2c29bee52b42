import http, { type Server } from 'node:http';
import express, { type Express } from 'express';
import fastify, { type FastifyInstance } from 'fastify';
import { Hono } from 'hono';
import { frameworkErrors, restwright } from '../../src/http/fastify.ts';
import { createFetchHandler } from '../../src/http/fetch.ts';
import { type Api, createListener } from '../../src/index.ts';

// Four applications that have an API below /shop, whose model has `base_path: /shop/api`.

export function expressApp(api: Api): Express {
  const app = express();
  app.use('/shop', createListener(api));
  return app;
}

export function fastifyApp(api: Api): FastifyInstance {
  const app = fastify({ frameworkErrors: frameworkErrors(api) });
  app.register(restwright, { api, prefix: '/shop' });
  return app;
}

export function honoApp(api: Api): Hono {
  const handle = createFetchHandler(api);
  const app = new Hono();
  app.all('/shop/api/*', (context) => handle(context.req.raw));
  app.all('/shop/docs', (context) => handle(context.req.raw));
  app.all('/shop/openapi.json', (context) => handle(context.req.raw));
  return app;
}

export function nodeServer(api: Api): Server {
  const listener = createListener(api);
  return http.createServer((request, response) => {
    if (request.url === '/hello') response.end('world');
    else listener(request, response);
  });
}
