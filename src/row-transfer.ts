import type { Json } from './conventions/json/json.ts';
import { timestamp } from './conventions/text/timestamp.ts';
import { compileCsvReader, type CsvReader, type CsvWriter } from './formats/csv.ts';
import type { Model } from './model/model.ts';
import type { TokenVerifier } from './auth/token-verifier.ts';
import type { Callers } from './operations/principal.ts';
import type { CompiledResource, Contract } from './contract/contract.ts';
import { type ExportedRows, exportRows } from './operations/read/export.ts';
import { openTokenRows } from './operations/read/token-rows.ts';
import { VisibleRows } from './operations/visible-rows.ts';
import { importRows, type RowImportOutcome } from './operations/write/import.ts';
import type { WriteServices } from './operations/write/write.ts';
import type { Bookmark } from './plan/bookmark.ts';
import type { Store } from './stores/store.ts';

export interface ImportOptions {
  /** True if each row publishes its event. Default: true. */
  readonly events?: boolean;
}

export interface ExportOptions {
  /** A bearer token: what its caller may read is exported. Default: everything. */
  readonly as?: string;
}

/** Imports and exports rows, outside of requests. */
export interface RowTransfer {
  /**
   * Imports rows as they are in an export, all in one transaction together with the bookmark, or none.
   *
   * @param collection name of the resource
   * @throws {RangeError} where the model has no such resource
   */
  importRows(
    collection: string,
    rows: readonly Json[],
    bookmark?: Bookmark,
    options?: ImportOptions,
  ): Promise<RowImportOutcome>;

  /**
   * The rows of a collection: all of them, or those that the caller with a token may read.
   *
   * @throws {RangeError} where the model has no such resource
   * @throws {UnusableToken} for a token that is not valid, or lacks the scope
   */
  exportRows(collection: string, options?: ExportOptions): Promise<ExportedRows>;

  /** Writes and reads the CSV of a collection. @throws {RangeError} where the model has no such resource */
  csv(collection: string): CsvFormat;
}

/** The CSV of a collection. */
export interface CsvFormat {
  readonly writer: CsvWriter;
  /**
   * @param header the first record of a file
   * @param rename returns the name that a column of the header means; default: itself
   * @throws {ApiError} REQUEST_BODY_MALFORMED
   */
  reader(header: string, rename?: (column: string) => string): CsvReader;
}

interface TransferOptions {
  readonly contract: Contract;
  readonly store: Store;
  readonly tokens: TokenVerifier;
  readonly callers: Callers;
  readonly services: Pick<WriteServices, 'sources' | 'events'>;
}

/** Creates the import and export of rows. */
export function rowTransfer({ contract, store, tokens, callers, services }: TransferOptions): RowTransfer {
  const { model } = contract;
  const { sources, events } = services;
  const rows = VisibleRows.unrestricted(store);
  return {
    async importRows(collection, data, bookmark, { events: published = true } = {}) {
      const ids = { correlationId: sources.uuid(), traceId: sources.randomHex(16) };
      const author = {
        events: published ? events : null,
        origin: { ...ids, actor: null, at: timestamp(sources.writtenAt()) },
      };
      const context = { contract, rows, writer: store.writes, author, sources };
      return importRows(requireResource(contract, collection), data, bookmark, context);
    },
    exportRows: async (collection, { as } = {}) => {
      const compiled = requireResource(contract, collection);
      const context = { contract, tokens, callers, store };
      const seen = as === undefined ? { rows, compiled } : await openTokenRows(as, compiled, context);
      return exportRows(seen.compiled, model.resources, seen.rows);
    },
    csv: (collection) => csvFormat(requireResource(contract, collection), model),
  };
}

function csvFormat({ record }: CompiledResource, { limits }: Model): CsvFormat {
  return { writer: record.csv, reader: (header, rename) => compileCsvReader(record.type, header, limits, rename) };
}

function requireResource({ resources }: Contract, collection: string): CompiledResource {
  const target = resources.get(collection);
  if (target === undefined) throw new RangeError(`the model has no resource ${collection}`);
  return target;
}
