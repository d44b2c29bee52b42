import express, { type Express } from 'express';
import { createListener, startApi } from '../../src/index.ts';
import { model } from './notes.ts';

/** An Express app with its own routes, and the API before the body parsers. */
export async function buildApp(
  database: string,
): Promise<{ readonly app: Express; readonly close: () => Promise<void> }> {
  const { api, close } = await startApi({ model, database });
  const app = express();
  app.use(createListener(api));
  app.use(express.json());
  app.post('/echo', (request, response) => {
    response.json(request.body);
  });
  return { app, close };
}

if (import.meta.main) {
  const { app } = await buildApp('./data/notes.db');
  app.listen(3000, () => process.stdout.write('listening on http://127.0.0.1:3000\n'));
}
