import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { program, type ServerProcess, startProgram, waitUntilListening } from '../../../cli/server-process.ts';
import { overHttp, roundRobin, type Send } from './send.ts';

/** The program that instances run. */
export interface FleetProgram {
  /** The path of the command. */
  readonly command: string;
  /** The path of the library, of which the model is made. */
  readonly library: string;
}

/** The sources of this checkout, which need seconds to start. */
const SOURCES: FleetProgram = {
  command: program,
  library: path.join(import.meta.dirname, '../../../../src/index.ts'),
};

/** Notes, whose hooks append each event to a file: process, sequence, type and id. */
function modelText(library: string, delivered: string): string {
  return `import { appendFileSync } from 'node:fs';
import { defineModel, resource } from ${JSON.stringify(pathToFileURL(library).href)};
const append = async ({ type, metadata, payload }) =>
  appendFileSync(${JSON.stringify(delivered)}, [process.pid, Number(metadata.sequence), type, payload.resource.id].join(' ') + '\\n');
export default defineModel({
  name: 'notes',
  resources: {
    notes: resource({
      id: 'client',
      schema: { type: 'object', properties: { text: { type: 'string' } } },
      after: { created: append, updated: append, deleted: append },
    }),
  },
});
`;
}

/** The servers of a fleet. */
export interface FleetServers {
  /** The URL of an empty schema. */
  readonly database: string;
  /** The URLs of the schema on replicas. Default: none. */
  readonly replicas?: readonly string[];
  /** Default: the sources of this checkout. */
  readonly program?: FleetProgram;
}

/** An instance: a process that is started again after it was killed. */
interface Member {
  server: ServerProcess;
  url: string | null;
}

/** Instances of an API, each a process of its own, behind a proxy that distributes requests in turn. */
export class Fleet {
  /** Sends to one instance after the other; also to those that are not there. */
  readonly send: Send;
  /** The file to which hooks append. */
  readonly delivered: string;
  readonly #folder: string;
  readonly #servers: FleetServers;
  readonly #members: readonly Member[];
  #killed = 0;

  private constructor(folder: string, servers: FleetServers, members: readonly Member[]) {
    this.#folder = folder;
    this.#servers = servers;
    this.#members = members;
    this.delivered = path.join(folder, 'delivered');
    this.send = roundRobin(members.map((member) => overHttp(() => member.url)));
  }

  static async start(folder: string, servers: FleetServers, size: number): Promise<Fleet> {
    const { library } = servers.program ?? SOURCES;
    writeFileSync(path.join(folder, 'delivered'), '');
    writeFileSync(path.join(folder, 'notes.ts'), modelText(library, path.join(folder, 'delivered')));
    const processes = Array.from({ length: size }, () => startOne(folder, servers));
    const members: Member[] = [];
    for (const server of processes) members.push({ server, url: await waitUntilListening(server) });
    return new Fleet(folder, servers, members);
  }

  get killed(): number {
    return this.#killed;
  }

  /**
   * Kills one instance after the other, and starts it again, until a moment.
   *
   * @param interval milliseconds between two of them
   */
  async killUntil(end: number, interval: number): Promise<void> {
    const restarts: Promise<void>[] = [];
    for (let at = 0; performance.now() < end; at += 1) {
      await setTimeout(interval);
      const member = this.#members[at % this.#members.length] ?? assert.fail();
      // One that is not up yet is killed while it starts.
      const { server } = member;
      member.url = null;
      server.child.kill('SIGKILL');
      this.#killed += 1;
      await server.exited;
      member.server = startOne(this.#folder, this.#servers);
      restarts.push(listens(member));
    }
    await Promise.all(restarts);
  }

  async stop(): Promise<void> {
    for (const { server } of this.#members) server.child.kill('SIGTERM');
    for (const { server } of this.#members) assert.equal(await server.exited, 0, server.stderr());
  }

  /** Ends what still runs. */
  async kill(): Promise<void> {
    for (const { server } of this.#members) server.child.kill('SIGKILL');
    for (const { server } of this.#members) await server.exited;
  }
}

function startOne(folder: string, servers: FleetServers): ServerProcess {
  const { database, replicas = [], program: { command } = SOURCES } = servers;
  const flags = replicas.flatMap((replica) => ['--replica', replica]);
  return startProgram(folder, [command, 'serve', 'notes.ts', '--port', '0', '--database', database, ...flags]);
}

/** Notes the URL of a process, unless it is killed before it has one. */
async function listens(member: Member): Promise<void> {
  const { server } = member;
  const url = await Promise.race([waitUntilListening(server).catch(() => null), server.exited.then(() => null)]);
  if (member.server === server) member.url = url;
}
