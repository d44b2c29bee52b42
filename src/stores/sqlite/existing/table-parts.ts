import type { Random } from '../../../platform/random.ts';
import type { SqlChangeStamps } from '../../sql/change-stamps.ts';
import { MixedStamps } from '../../sql/existing/mixed-stamps.ts';
import type { Tables } from '../../sql/tables.ts';
import type { ChangeStamps } from '../../store.ts';
import type { SqliteConnection } from '../connection/sqlite-connection.ts';
import type { SqliteClient } from '../sqlite-client.ts';
import { SourceStamps } from './source-stamps.ts';
import { TableWriter } from './table-writer.ts';

/** The parts of a store that differ where a model shows tables of another program. */
interface TableParts {
  readonly stamps: ChangeStamps;
  /** Receives the plans of each commit. */
  readonly committed: SqlChangeStamps['committed'];
  /** null for a model of own rows. */
  readonly tableWriter: TableWriter | null;
  /** Makes the name of a cache epoch. */
  readonly nameEpoch: (name: string) => string;
}

/** The parts of a store of own rows alone. */
export function partsOfOwnRows(stamps: SqlChangeStamps): TableParts {
  return { stamps, committed: (plans) => stamps.committed(plans), tableWriter: null, nameEpoch: (name) => name };
}

interface TablePartsOptions {
  readonly connection: SqliteConnection;
  readonly client: SqliteClient;
  readonly tables: Tables;
  readonly random: Random;
}

const NAME_BYTES = 8;

/** The parts of a store with tables of another program. Their stamps begin with the process, as does its epoch. */
export function partsWithTables(own: SqlChangeStamps, options: TablePartsOptions): TableParts {
  const { connection, client, tables, random } = options;
  const existing = new SourceStamps(client, tables);
  const suffix = random.hex(NAME_BYTES);
  return {
    stamps: new MixedStamps({ own, existing }, tables),
    committed: (plans) => {
      own.committed(plans);
      existing.committed(plans);
    },
    tableWriter: new TableWriter({ connection, tables, stamps: existing }),
    nameEpoch: (name) => `${name} ${suffix}`,
  };
}
