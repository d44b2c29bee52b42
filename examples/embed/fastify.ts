import fastify, { type FastifyInstance } from 'fastify';
import { frameworkErrors, restwright } from '../../src/http/fastify.ts';
import { startApi } from '../../src/index.ts';
import { model } from './notes.ts';

/** A Fastify app with its own routes and the API. */
export async function buildApp(database: string): Promise<FastifyInstance> {
  const { api, close } = await startApi({ model, database });
  const app = fastify({ frameworkErrors: frameworkErrors(api) });
  app.get('/hello', () => ({ hello: 'world' }));
  app.register(restwright, { api });
  app.addHook('onClose', close);
  return app;
}

if (import.meta.main) {
  const app = await buildApp('./data/notes.db');
  process.stdout.write(`listening on ${await app.listen({ port: 3000 })}\n`);
}
