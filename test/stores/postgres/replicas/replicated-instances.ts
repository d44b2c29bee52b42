import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import type { ReplicaUsage } from '../../../../src/stores/store.ts';
import type { ControlledPostgres } from '../../../postgres-server.ts';
import { type Send, toInstance } from '../failures/send.ts';
import { type Instance, NOTES, openInstance } from '../instance.ts';

/** Uses a session of a server, without a schema. */
export async function withSession<T>(server: ControlledPostgres, use: (session: pg.Client) => Promise<T>): Promise<T> {
  const session = new pg.Client({ connectionString: server.url('public').replace(/[?&]schema=public/, '') });
  await session.connect();
  try {
    return await use(session);
  } finally {
    await session.end();
  }
}

/** Runs a statement on a server. @returns the first value of its first row */
export function runOn(server: ControlledPostgres, text: string): Promise<unknown> {
  return withSession(server, async (session) => (await session.query({ text, rowMode: 'array' })).rows[0]?.[0]);
}

/** The servers of some instances. */
interface Place {
  readonly schema: string;
  readonly server: ControlledPostgres;
  /** Makes the URLs of replicas. */
  readonly followers: readonly { readonly url: (schema: string) => string }[];
}

/**
 * Opens instances in a schema of their own, once they read from the first replica, and closes them. What they observed
 * until then is left out.
 */
export async function withInstances(
  { schema, server, followers }: Place,
  count: number,
  use: (instances: readonly Instance[], sends: readonly Send[]) => Promise<void>,
): Promise<void> {
  const urls = followers.map(({ url }) => url(schema));
  const instances: Instance[] = [];
  try {
    for (let at = 0; at < count; at += 1) instances.push(await openInstance(server.url(schema), NOTES, urls));
    for (const instance of instances) await until(() => readUsage(instance).replicas[0]?.isRead === true);
    for (const { observations } of instances) observations.splice(0);
    await use(instances, instances.map(toInstance));
  } finally {
    await Promise.all(instances.map((each) => each.close()));
  }
}

export function readUsage({ store }: Instance): ReplicaUsage {
  return store.replicaUsage?.() ?? assert.fail('The store has no replicas');
}

/** The names of replicas that were left, and why, in order. */
export function leftBy({ observations }: Instance): readonly string[] {
  return observations.flatMap((seen) => (seen.kind === 'replica-left' ? [seen.problem] : []));
}

export async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await setTimeout(10);
}

export const PAGE = { send: 'GET /api/v1/notes?limit=100' };
export const put = (id: string, text: string) => ({ send: `PUT /api/v1/notes/${id}`, body: { text } });

/**
 * Reads a page right after each write, by another instance. Each client writes a row of its own, one write after
 * another.
 *
 * @returns the number of pages that lack the write
 */
export async function countStale(
  sends: readonly Send[],
  { writes, clients = 1 }: { readonly writes: number; readonly clients?: number },
): Promise<number> {
  let stale = 0;
  const choose = (at: number): Send => sends[at % sends.length] ?? assert.fail();
  const write = async (client: number): Promise<void> => {
    const [writer, reader] = [choose(client), choose(client + 1)] as const;
    const row = `row-${client}`;
    for (let at = client; at < writes; at += clients) {
      await writer(put(row, `text ${at}`));
      const { status, body } = await reader(PAGE);
      assert.equal(status, 200);
      const found = body.data.find(({ id }: { id: string }) => id === row);
      if (found?.text !== `text ${at}`) stale += 1;
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, client) => write(client)));
  return stale;
}
