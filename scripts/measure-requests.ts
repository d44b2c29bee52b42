import { Session } from 'node:inspector/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { createFetchHandler } from '../src/http/fetch.ts';
import { loadModel, startApi } from '../src/index.ts';
import { digest } from '../src/platform/digest.ts';
import { root } from './command.ts';

/** The number of files of src/ that run at least one function while a warm API serves one request. */
export interface FilesEntered {
  readonly item: number;
  readonly list: number;
  readonly patch: number;
}

type Send = (
  method: string,
  target: string,
  parts?: { readonly body?: string; readonly 'If-Match'?: string },
) => Promise<Response>;

const COLLECTION = '/api/v1/products';

/** Requests of one kind before the one that is counted. */
const WARM_RUNS = 10;

/** Milliseconds after which what a request leaves to a timer is done. */
const SETTLED = 50;

const MODEL = `
name: measured
resources:
  products:
    schema:
      type: object
      required: [name]
      properties:
        name: { type: string, minLength: 1 }
        price: { type: integer }
`;

/** Complete, so that the script also runs on older trees, in which every option was required. */
const SOURCE = { file: 'model.yaml', text: MODEL, env: {}, digest };

/**
 * Counts on an in-memory database. Left out are src/http/, where a request enters by one of several ways, and what only
 * loads.
 */
export async function filesEntered(): Promise<FilesEntered> {
  const { model } = loadModel(SOURCE);
  await using opened = await startApi({ model, database: ':memory:' });
  const handler = createFetchHandler(opened.api);
  const send: Send = async (method, target, { body, ...conditions } = {}) => {
    const headers = { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...conditions };
    const request = new Request(`http://localhost${target}`, { method, headers, body: body ?? null });
    const response = await handler(request);
    if (!response.ok) throw new Error(`${method} ${target} was answered with ${response.status}`);
    return response;
  };
  const items = await createItems(send);
  return {
    item: await countFiles((run) => send('GET', items[run] ?? '')),
    list: await countFiles((run) => send('GET', `${COLLECTION}?limit=${run + 1}&sort=-price`)),
    patch: await countFiles((run) => send('PATCH', items[run] ?? '', { body: '{"price":1000}', 'If-Match': '*' })),
  };
}

/** The paths of the items. */
async function createItems(send: Send): Promise<readonly string[]> {
  const paths: string[] = [];
  for (let index = 0; index <= WARM_RUNS; index++) {
    const response = await send('POST', COLLECTION, {
      body: JSON.stringify({ name: `product ${index}`, price: index }),
    });
    paths.push(response.headers.get('Location') ?? '');
  }
  return paths;
}

/**
 * Counts the files of one request after some of its kind; each run is a new request, so that no cached response serves
 * it.
 */
async function countFiles(request: (run: number) => Promise<Response>): Promise<number> {
  for (let run = 0; run < WARM_RUNS; run++) await (await request(run)).text();
  await new Promise((resolve) => setTimeout(resolve, SETTLED));
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await (await request(WARM_RUNS)).text();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  session.disconnect();
  const folder = pathToFileURL(path.join(root, 'src')).href;
  const entered = result.filter(({ url, functions }) => isCounted(url, folder) && functions.some(hasRun));
  return entered.length;
}

function isCounted(url: string, folder: string): boolean {
  return url.startsWith(`${folder}/`) && !url.startsWith(`${folder}/http/`);
}

function hasRun({ ranges: [whole] }: { readonly ranges: readonly { readonly count: number }[] }): boolean {
  return whole !== undefined && whole.count > 0;
}
