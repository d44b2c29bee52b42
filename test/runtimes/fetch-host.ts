// A host of the fetch handler in Bun and Deno, on the server of the runtime. Prints where it listens. Its argument is
// the file of a model.
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { createFetchHandler } from '../../src/http/fetch.ts';
import { loadModel, startApi } from '../../src/index.ts';

type Handle = (request: Request) => Promise<Response>;

const [, , file = ''] = process.argv;
const { model } = loadModel({ file, text: readFileSync(file, 'utf8'), env: {} });
const { api } = await startApi({ model, database: ':memory:', observe: () => undefined });
const handle = createFetchHandler(api);
const answer: Handle = (request) => handle(request);
const listening = ({ port }: { readonly port: number }): void => {
  process.stdout.write(`listening on http://127.0.0.1:${port}/api\n`);
};

const address = { port: 0, hostname: '127.0.0.1' };
const bun: { serve(options: object): { readonly port: number } } | undefined = Reflect.get(globalThis, 'Bun');
const deno: { serve(options: object, handle: Handle): void } | undefined = Reflect.get(globalThis, 'Deno');
if (bun === undefined) deno?.serve({ ...address, onListen: listening }, answer);
else listening(bun.serve({ ...address, fetch: answer }));
