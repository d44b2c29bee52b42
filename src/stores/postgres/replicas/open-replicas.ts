import type { Observe } from '../../../observe/observation.ts';
import { type Clock, loopIteration } from '../../../platform/clock.ts';
import { SqlRowReader } from '../../sql/read/row-reader.ts';
import { UnusableDatabase } from '../../sql/schema/schema-errors.ts';
import type { Tables } from '../../sql/tables.ts';
import type { Store } from '../../store.ts';
import type { PostgresChangeStamps } from '../commit/change-stamps.ts';
import { connects, type ModelSessions } from '../connection/connects.ts';
import { serverName } from '../driver/database-url.ts';
import { sqlState } from '../driver/postgres-errors.ts';
import type { PostgresClient } from '../read/postgres-client.ts';
import { SlowReads } from '../read/slow-reads.ts';
import { CLUSTER, Replica } from './replica.ts';
import { ReplicaClient } from './replica-client.ts';
import { ReplicaStamps } from './replica-stamps.ts';
import { Replicas } from './replicas.ts';

interface OpenReplicasOptions extends ModelSessions {
  /** The URLs of replicas. Default: none. */
  readonly replicas?: readonly string[];
  readonly password?: string | undefined;
  readonly tables: Tables;
  readonly clock: Clock;
  readonly observe: Observe;
}

/** Reads of the primary. */
interface Primary {
  readonly client: PostgresClient;
  readonly stamps: PostgresChangeStamps;
}

/** The replicas of a store, and its parts that use them. */
interface OpenedReplicas {
  readonly parts: Pick<Store, 'replicated' | 'replicaUsage'>;
  readonly close: () => Promise<void>;
}

/**
 * Milliseconds that a read waits for a table which a replica has locked to apply a change. Then the primary is read,
 * which may have unlocked it long ago.
 */
const LOCK_TIMEOUT = 100;
const INSUFFICIENT_PRIVILEGE = '42501';

/**
 * Opens the replicas of a store, once each was probed. One that cannot be used is left out until it can.
 *
 * @returns null without replicas, and while rows of an older model have to be converted before they are read
 * @throws {InvalidDatabaseUrl}
 * @throws {UnusableDatabase} where the user may not read the identifier of the primary
 */
export async function openReplicas(
  { replicas: urls = [], password, tables, clock, observe, ...sessions }: OpenReplicasOptions,
  { client, stamps }: Primary,
): Promise<OpenedReplicas | null> {
  if (urls.length === 0 || sessions.shared !== null) return null;
  const { statementTimeout } = sessions.model.limits;
  const opened = urls.map((url) => {
    const open = connects({ url, password }, sessions);
    const connect = open({ statementTimeout, lockTimeout: LOCK_TIMEOUT, readOnly: true });
    const slow = new SlowReads({ connect, clock, timeout: statementTimeout });
    return new Replica({ name: serverName(url), connect, slow });
  });
  const replicas = new Replicas({ replicas: opened, cluster: await readCluster(client), states: stamps, observe });
  await replicas.begin();
  return {
    parts: {
      replicated: () => {
        const reads = new ReplicaClient(client, replicas, loopIteration());
        return { rows: new SqlRowReader(reads, tables, clock), stamps: new ReplicaStamps(stamps, reads) };
      },
      replicaUsage: () => replicas.usage(),
    },
    close: () => replicas.close(),
  };
}

/** The identifier by which replicas are recognised. @throws {UnusableDatabase} */
async function readCluster(client: PostgresClient): Promise<string> {
  try {
    return String((await client.get({ text: CLUSTER, values: [] }))?.['cluster']);
  } catch (error) {
    if (sqlState(error) !== INSUFFICIENT_PRIVILEGE) throw error;
    throw new UnusableDatabase(
      'Its replicas cannot be distinguished from those of other servers: grant execute on function pg_control_system() to the user.',
      { cause: error },
    );
  }
}
