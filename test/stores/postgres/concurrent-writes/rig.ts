import assert from 'node:assert/strict';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { NetConnectOpts } from 'node:net';
import type { Model } from '../../../../src/model/model.ts';
import type { CreatePlan, WritePlan } from '../../../../src/plan/plan.ts';
import { openPostgres } from '../../../../src/stores/postgres/postgres-store.ts';
import type { Store } from '../../../../src/stores/store.ts';
import { sampleModel } from '../../../../store-suite/sample-model.ts';
import { commit, remove, update } from '../../../../store-suite/sample-writes.ts';
import { newSchema } from '../open-postgres.ts';
import { NO_FAULT } from './faults.ts';
import { type Rewrite, StatementRelay } from './statement-relay.ts';

/** A store as of a process of its own, whose statements a test holds, cuts and changes. */
export interface RelayedStore {
  readonly store: Store;
  readonly relay: StatementRelay;
}

/** Several stores on one schema. */
export interface Rig {
  readonly stores: readonly RelayedStore[];
  /** The URL of the schema without a relay. */
  readonly url: string;
  /** Runs a statement on a session of its own. */
  readonly sql: (text: string) => Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** Resolves once a number of sessions wait for locks of others. */
  readonly blocked: (count?: number) => Promise<void>;
}

interface RigOptions {
  /** The number of stores. */
  readonly count: number;
  readonly model?: Model;
  /** The fault of each store. Default: none. */
  readonly faults?: readonly Rewrite[];
}

/** Runs a test with stores on a schema of its own. */
export async function withRig(options: RigOptions, run: (rig: Rig) => Promise<void>): Promise<void> {
  const url = newSchema();
  const client = new pg.Client({ connectionString: withoutSchema(url) });
  await client.connect();
  const stores: RelayedStore[] = [];
  try {
    for (let index = 0; index < options.count; index += 1)
      stores.push(await openRelayed(url, options.model ?? sampleModel(), options.faults?.[index] ?? NO_FAULT));
    await client.query(`set search_path = ${new URL(url).searchParams.get('schema')}`);
    const sql: Rig['sql'] = async (text) => (await client.query<Record<string, unknown>>(text)).rows;
    await run({ stores, url, sql, blocked: (count = 1) => waitForBlocked(stores, sql, count) });
  } finally {
    for (const { relay } of stores) relay.releaseAll();
    await Promise.all(stores.map(({ store }) => store.close()));
    await Promise.all(stores.map(({ relay }) => relay.close()));
    await client.end();
  }
}

/** The store of a rig at a position. */
export function storeAt({ stores }: Rig, index: number): RelayedStore {
  return stores[index] ?? assert.fail(`there is no store ${index}`);
}

async function openRelayed(url: string, model: Model, rewrite: Rewrite): Promise<RelayedStore> {
  const relay = await StatementRelay.start(findServer(url));
  relay.rewrite = rewrite;
  const relayed = new URL(url);
  relayed.hostname = '127.0.0.1';
  relayed.port = String(relay.port);
  relayed.searchParams.delete('host');
  relayed.searchParams.set('sslmode', 'disable');
  return { store: await openPostgres({ url: relayed.href, model, observe: () => {} }), relay };
}

function findServer(text: string): NetConnectOpts {
  const { hostname, port, searchParams } = new URL(text);
  const folder = searchParams.get('host');
  const number = port === '' ? 5_432 : Number(port);
  return folder === null ? { host: hostname, port: number } : { path: path.join(folder, `.s.PGSQL.${number}`) };
}

/** The URL of the database of a schema. */
export function withoutSchema(text: string): string {
  const url = new URL(text);
  url.searchParams.delete('schema');
  return url.href;
}

/** Milliseconds between two looks at what the server does. */
const INTERVAL = 3;
/** Milliseconds after which a law fails that does not come to its end. */
const PATIENCE = 8_000;

/** Waits until something holds. It fails after a time. */
export async function waitUntil(what: string, holds: () => Promise<boolean>): Promise<void> {
  const until = performance.now() + PATIENCE;
  while (!(await holds())) {
    if (performance.now() > until) throw new Error(`${what}: not within ${PATIENCE} ms`);
    await pause(INTERVAL);
  }
}

/** Waits until sessions of stores wait for locks. */
function waitForBlocked(stores: readonly RelayedStore[], sql: Rig['sql'], count: number): Promise<void> {
  return waitUntil(`${count} sessions wait for locks`, async () => {
    const processes = stores.flatMap(({ relay }) => [...relay.processes]);
    const [row] = await sql(`select count(distinct pid)::integer as waiting from pg_locks
      where not granted and pid in (${processes.join(', ')})`);
    return Number(row?.['waiting']) >= count;
  });
}

/** Settles with the first of a write and the wait for its lock. @returns whether it is done */
export async function doneOrBlocked(rig: Rig, write: Promise<unknown>): Promise<boolean> {
  return Promise.race([write.then(() => true), rig.blocked().then(() => false)]);
}

/**
 * Writes events of each type for a resource, so that their shapes are stored. Transactions that are the first to store
 * one wait for each other.
 */
export async function storeShapes(store: Store, created: CreatePlan): Promise<void> {
  const { resource, id } = created;
  const [first = 0] = await commit(store, logged(created));
  const [second = 0] = await commit(store, logged(update(resource, id, first, {})));
  await commit(store, logged(remove(resource, id, second)));
}

let drafts = 0;

/** The plan with an event as the pipeline makes it: of the singular of its resource, with an id of its own. */
export function logged<T extends WritePlan>(plan: T, model: Model = sampleModel()): T {
  const { event } = plan;
  if (event === null) return plan;
  const { singular: type } = model.resources.get(plan.resource) ?? assert.fail();
  const { payload } = event;
  drafts += 1;
  const id = `${plan.kind} ${plan.id} ${drafts}`;
  return { ...plan, event: { ...event, id, payload: { ...payload, resource: { ...payload.resource, type } } } };
}

/** Drops the foreign keys and unique indexes of a table: a fault that a test plants into the schema. */
export async function dropRules({ sql }: Rig, table: string): Promise<void> {
  const keys = await sql(
    `select conname as name from pg_constraint where conrelid = '${table}'::regclass and contype = 'f'`,
  );
  for (const { name } of keys) await sql(`alter table ${table} drop constraint "${String(name)}"`);
  const indexes = await sql(`select indexrelid::regclass::text as name from pg_index
    where indrelid = '${table}'::regclass and indisunique and not indisprimary`);
  for (const { name } of indexes) await sql(`drop index ${String(name)}`);
}

/** Asserts that a law fails: a fault that is planted is found. */
export async function assertFound(law: Promise<unknown>): Promise<void> {
  await assert.rejects(law, assert.AssertionError);
}
