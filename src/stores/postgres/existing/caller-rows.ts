import { hasRoles } from '../../../model/auth-rules.ts';
import type { Model } from '../../../model/model.ts';
import type { Clock } from '../../../platform/clock.ts';
import { SqlRowReader } from '../../sql/read/row-reader.ts';
import type { Tables } from '../../sql/tables.ts';
import type { RowReader, Store } from '../../store.ts';
import type { PostgresClient } from '../read/postgres-client.ts';

interface CallerRowsOptions {
  readonly client: Pick<PostgresClient, 'as'>;
  readonly model: Model;
  readonly tables: Tables;
  readonly clock: Clock;
}

/**
 * Makes the readers of callers. Each reads the tables of another program as its caller. Rows that the server stores,
 * such as webhooks, are read as the server. No statement reads both: nothing that is stored refers to those tables.
 *
 * @param own reads as the server
 * @returns nothing for a model without roles of the database
 */
export function callerRows(own: RowReader, options: CallerRowsOptions): Pick<Store, 'rowsAs'> {
  return hasRoles(options.model) ? { rowsAs: readAsCallers(own, options) } : {};
}

function readAsCallers(own: RowReader, { client, tables, clock }: CallerRowsOptions): NonNullable<Store['rowsAs']> {
  const isShown = ({ resource }: { readonly resource: string }): boolean => tables.of(resource).existing !== null;
  return (caller) => {
    const shown = new SqlRowReader(client.as(caller), tables, clock);
    const select = (plan: { readonly resource: string }): RowReader => (isShown(plan) ? shown : own);
    return {
      item: (plan) => select(plan).item(plan),
      // The rules of the database do not judge a row that is no longer there.
      wasVisible: (plan) => !isShown(plan) && own.wasVisible(plan),
      list: (plan) => select(plan).list(plan),
      lookup: (plan) => select(plan).lookup(plan),
      related: (plan) => select(plan).related(plan),
      missingAncestor: (within) => own.missingAncestor(within),
      missingReferences: async (references) => {
        const missing = new Set([
          ...(await shown.missingReferences(references.filter(isShown))),
          ...(await own.missingReferences(references.filter((each) => !isShown(each)))),
        ]);
        return references.filter((reference) => missing.has(reference));
      },
    };
  };
}
