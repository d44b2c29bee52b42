import type { Model } from '../../../model/model.ts';
import {
  findStoredDifference,
  type PairedConversion,
  type StoredDifference,
} from '../../../versions/row-conversion.ts';
import { linkFields, linkTable, linkColumns } from '../../sql/columns.ts';
import type { RowForm } from '../../sql/conversion/former-names.ts';
import { type ModelProfile, profileModel } from '../../sql/schema/model-profile.ts';
import { keyMembers } from '../../../model/row-key.ts';
import { postgres } from '../dialect/postgres-dialect.ts';
import { allAnswers } from '../driver/answers.ts';
import type { PostgresConnection } from '../driver/pg.ts';
import { marksTable, namePair, type PairNames, selectMarked, setWriter } from './pair-names.ts';
import { BLOCK, type MarkedBy, type ReportFailure, SharedTable } from './shared-table.ts';

const { quote } = postgres;

/** The tables of two models that are served side by side, and whose rows differ (VER-5d). */
export class SharedTables {
  readonly names: PairNames;
  readonly difference: StoredDifference<PairedConversion>;
  /** The contract of the older model in the newer one. */
  readonly form: RowForm;
  /** Those in which the newer model has other columns, or other names. */
  readonly tables: readonly SharedTable[];
  /** The check that all rows are converted: it reads no row then. */
  readonly check: string;

  /** @param older the contract of the older model in the newer one, and the profile that the database records of it */
  constructor(
    model: Model,
    { form, profile }: { readonly form: RowForm; readonly profile: ModelProfile },
    schema: string,
  ) {
    this.form = form;
    this.names = namePair(schema, profileModel(model));
    this.difference = findStoredDifference(model, form.version);
    this.check = selectMarked(this.names);
    this.tables = [...this.difference.model.resources.values()].flatMap((resource) => {
      const conversion = this.difference.conversions.get(resource.name) ?? null;
      const table = new SharedTable(
        { resource, conversion, before: profile.resources[resource.name] ?? null },
        this.names,
      );
      return conversion === null && table.renamed.size === 0 ? [] : [table];
    });
  }

  /** The table of marks, with its schema. */
  get marks(): string {
    return marksTable(this.names);
  }

  get quotedViews(): string {
    return quote(this.names.views);
  }

  /** The statements that create the views of the newer model. */
  get views(): readonly string[] {
    const { schema, views } = this.names;
    const links = this.tables.flatMap(({ resource, renamed }) =>
      linkFields(resource).flatMap(({ field, target }) => {
        const was = renamed.get(field);
        const referred = this.difference.model.resources.get(target);
        if (was === undefined || referred === undefined) return [];
        const columns = [
          ...linkColumns('owner', keyMembers(resource).length),
          ...linkColumns('target', keyMembers(referred).length),
        ].map(quote);
        const [name, from] = [linkTable(resource.name, field), linkTable(resource.name, was)].map(quote);
        return [`create view ${quote(views)}.${name} as select ${columns.join(', ')} from ${quote(schema)}.${from}`];
      }),
    );
    return [`create schema ${quote(views)}`, ...this.tables.map(({ view }) => view), ...links];
  }

  /**
   * Converts the rows that instances of one model have written, in the transaction of a session that holds the lock of
   * all writes.
   *
   * @param by the model that has written them
   */
  async convertMarked(session: PostgresConnection, by: MarkedBy, report: ReportFailure): Promise<void> {
    for (const table of this.tables) {
      if (table.conversion === null) continue;
      while ((await convertBlock(session, table, { by, report })) === BLOCK);
    }
  }

  /** Reads if rows are marked. */
  async isMarked(session: PostgresConnection): Promise<boolean> {
    return (await session.query(this.check)).rows.length > 0;
  }

  /** Runs work whose writes are not marked. @param writer of the session */
  async unmarked<T>(session: PostgresConnection, writer: string, work: () => Promise<T>): Promise<T> {
    await session.script(setWriter('none'));
    const result = await work();
    await session.script(setWriter(writer));
    return result;
  }
}

/** Converts some rows that are marked. @returns their number */
export async function convertBlock(
  session: PostgresConnection,
  table: SharedTable,
  { by, report }: { readonly by: MarkedBy; readonly report: ReportFailure },
): Promise<number> {
  const { rows } = await session.query(table.selectMarked(by));
  if (rows.length === 0) return 0;
  const written = rows.map((row) => table.convert(row, by, report));
  const update = table.update(written, by);
  const sent = [...(update === null ? [] : [update]), table.removeMarks(written)];
  await allAnswers(sent.map(([text, values]) => session.query(text, values)));
  return rows.length;
}
