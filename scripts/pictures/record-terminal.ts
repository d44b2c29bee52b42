import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { RUN_COMMAND } from '../../src/cli/publication.ts';
import { program } from '../command.ts';
import { ask, oneLine, readOrigin, showAnswer } from '../tour.ts';

/** A command that was run, and what it printed. */
export interface TerminalStep {
  readonly command: string;
  readonly output: readonly string[];
}

const CSV = 'name,price\nLamp,49.90\nDesk,229.00\n';
const SET_API = 'api=http://127.0.0.1:3000/api/v1/products';
const CREATE = `curl -i $api -H 'Idempotency-Key: order-1' --json '{"name":"Chair","price":89.5}'`;

/** A request as it is shown, and as it is run. */
interface Request {
  readonly shown: string;
  readonly run: string;
  /** The header fields of its response that are shown, in lower case. */
  readonly fields: readonly string[];
}

/** A creation and its repetition, and two changes of what was read once. */
const REQUESTS: readonly Request[] = [
  { shown: CREATE, run: `${SET_API}\n${CREATE}`, fields: ['etag'] },
  { shown: CREATE, run: CREATE, fields: ['idempotent-replayed'] },
  { shown: change(85), run: `${readChair()}\n${change(85)}`, fields: ['etag'] },
  { shown: change(79), run: change(79), fields: [] },
];

function change(price: number): string {
  return `curl -i -X PATCH $api/$id -H "If-Match: $etag" --json '{"price":${price}}'`;
}

/** Sets the id and the ETag of the chair, which a reader copies from the response. */
function readChair(): string {
  return [
    `answer=$(${CREATE})`,
    String.raw`id=$(printf '%s' "$answer" | sed -n 's|^[Ll]ocation: .*/\([^/]*\)\r$|\1|p')`,
    String.raw`etag=$(printf '%s' "$answer" | sed -n 's|^[Ee][Tt]ag: \(.*\)\r$|\1|p')`,
  ].join('\n');
}

/**
 * Serves a CSV file with the command of this checkout, creates a row twice with one idempotency key, and changes it
 * twice with one ETag. Ids, ETags, times and the port are those of every run.
 */
export async function recordTerminal(): Promise<readonly TerminalStep[]> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'restwright-terminal-'));
  try {
    await writeFile(path.join(folder, 'products.csv'), CSV);
    const server = spawn(process.execPath, [program, 'serve', 'products.csv', '--port', '0'], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [closed, messages] = [once(server, 'close'), text(server.stderr)];
    let responses: readonly string[];
    try {
      const origin = await readOrigin(server);
      const runs = REQUESTS.map(({ run }) => `${run}\n`);
      responses = await ask(runs, origin);
    } finally {
      server.kill('SIGTERM');
      await closed;
    }
    const [created, replayed, ...changed] = responses.map(requestStep);
    if (created === undefined || replayed === undefined) throw new Error('the shell printed no responses');
    const copied = { command: `id=… etag='"…"'`, output: [] };
    return [...startSteps(await messages), created, replayed, copied, ...changed];
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** @param messages what the server has printed for people, and its log */
function startSteps(messages: string): readonly TerminalStep[] {
  const printed = messages.split('\n').filter((line) => line !== '' && !line.startsWith('{'));
  return [
    { command: 'cat products.csv', output: CSV.trimEnd().split('\n') },
    {
      command: `${RUN_COMMAND} serve products.csv &`,
      output: [...printed, 'listening on http://127.0.0.1:3000/api'],
    },
    { command: SET_API, output: [] },
  ];
}

function requestStep(response: string, index: number): TerminalStep {
  const { shown = '', fields = [] } = REQUESTS[index] ?? {};
  const answer = showAnswer(response, new Set(fields), (body) => oneLine(body));
  return {
    command: shown,
    output: answer
      .trimEnd()
      .split('\n')
      .filter((line) => line !== ''),
  };
}
