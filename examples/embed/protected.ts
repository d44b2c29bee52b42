import { timingSafeEqual } from 'node:crypto';
import express, { type Express } from 'express';
import fastify, { type FastifyInstance } from 'fastify';
import { restwright } from '../../src/http/fastify.ts';
import { type Api, createListener } from '../../src/index.ts';

// Two applications that let only clients with a token reach the API.

function hasToken(authorization: string | undefined, token: string): boolean {
  const [given, wanted] = [Buffer.from(authorization ?? ''), Buffer.from(`Bearer ${token}`)];
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

/** Routes before the check are public. It passes requests on to the API itself, so that none gets there without it. */
export function expressApp(api: Api, token: string): Express {
  const app = express();
  const listener = createListener(api);
  app.get('/hello', (_request, response) => void response.send('world'));
  app.use((request, response, next) => {
    if (hasToken(request.headers.authorization, token)) listener(request, response, next);
    else response.status(401).set('WWW-Authenticate', 'Bearer').end();
  });
  return app;
}

/** The check is a hook of the plugin that has the API, and of nothing else. */
export function fastifyApp(api: Api, token: string): FastifyInstance {
  const app = fastify();
  app.get('/hello', () => 'world');
  app.register(async (below) => {
    below.addHook('onRequest', async (request, reply) => {
      if (!hasToken(request.headers.authorization, token))
        return reply.status(401).header('WWW-Authenticate', 'Bearer').send();
    });
    await below.register(restwright, { api });
  });
  return app;
}
