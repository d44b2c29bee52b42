import type { CreatedLine, UploadOptions } from './client-types.ts';
import { describedFailure, FailedRequest, isRequestError } from './request-error.ts';
import type { Transport } from './transport.ts';
import { writeRequest } from './write-request.ts';

/** The bounds of one request: it is repeated as a whole, and none of its rows is written twice. */
const MAX_LINES = 1_000;
const MAX_CHARACTERS = 512 * 1_024;

/** JSON is for errors. */
const NDJSON = { 'Content-Type': 'application/x-ndjson', Accept: 'application/x-ndjson, application/json' };

/** Creates items from rows, in requests of many lines each (MET-13). @yields what became of each row, in order */
export async function* createMany(
  transport: Transport,
  upload: {
    readonly path: string;
    readonly rows: Iterable<unknown> | AsyncIterable<unknown>;
    readonly options: UploadOptions;
  },
  uniqueKey: () => string,
): AsyncGenerator<CreatedLine, void> {
  let lines: string[] = [];
  let size = 0;
  let sent = 0;
  let requests = 0;
  const { idempotencyKey } = upload.options;
  const send = async (): Promise<readonly CreatedLine[]> => {
    const [body, count, before] = [lines.join('\n'), lines.length, sent];
    [lines, size, sent] = [[], 0, sent + count];
    requests += 1;
    const key = idempotencyKey === undefined ? {} : { idempotencyKey: `${idempotencyKey}-${requests}` };
    const write = { method: 'POST', path: upload.path, headers: NDJSON } as const;
    const request = { ...writeRequest(write, { ...upload.options, ...key }, uniqueKey), body };
    return transport.send(request, (response) => readLines(response, count, before));
  };
  for await (const row of upload.rows) {
    const line = JSON.stringify(row);
    if (lines.length === MAX_LINES || (size > 0 && size + line.length > MAX_CHARACTERS)) yield* await send();
    lines.push(line);
    size += line.length;
  }
  if (lines.length > 0) yield* await send();
}

/** @param before how many rows were sent before */
async function readLines(response: Response, count: number, before: number): Promise<readonly CreatedLine[]> {
  const lines = (await response.text()).split('\n').filter((line) => line !== '');
  const created = lines.map((line) => createdLine(JSON.parse(line), before));
  if (created.length === count) return created;
  const message = `The response has ${created.length} of ${count} lines.`;
  throw new FailedRequest('CLIENT_CONNECTION_FAILED', message, { status: response.status });
}

/** A line of the response. */
interface ResultLine {
  readonly line: number;
  readonly id?: string;
  readonly location?: string;
  readonly error?: unknown;
}

function createdLine({ line, id = '', location = '', error }: ResultLine, before: number): CreatedLine {
  const failure = error === undefined ? null : describedFailure(error, null);
  if (failure !== null && line === undefined) throw failure;
  const at = { line: before + line };
  return isRequestError(failure)
    ? { ...at, id: null, location: null, error: failure }
    : { ...at, id, location, error: null };
}
