import type { ApiCalls } from '../../api/calls.ts';
import type { FileFormat } from './file-format.ts';
import { type PageOptions, readPage } from './read-page.ts';

/** The rows to export: those of a query, in its order. */
export interface ExportSource {
  /** Below the version: `/products`. */
  readonly path: string;
  /** The parameters without those of the page. */
  readonly query: Readonly<Record<string, string>>;
  readonly format: FileFormat;
}

/** The size of a file that is being exported. */
export interface ExportedSize {
  readonly rows: number;
  readonly bytes: number;
}

/** The largest page of an API without limits of its own; a server with a lower one sends less. */
const PAGE_SIZE = '100';
/** Characters in memory: more are moved to the browser's store of files. */
const MAX_BUFFER = 1_000_000;

const LINE_BREAK = '\r\n';

/**
 * Exports rows page by page. A page is complete in the file or absent. After a failure or a stop, another run continues
 * with the next page, so that no row is lost or repeated.
 */
export class RowExport {
  readonly #calls: ApiCalls;
  readonly #source: ExportSource;
  readonly #blobs: Blob[] = [];
  #buffer = '';
  #rows = 0;
  #stored = 0;
  #after: string | null = null;
  #isRead = false;

  constructor(calls: ApiCalls, source: ExportSource) {
    this.#calls = calls;
    this.#source = source;
  }

  /**
   * Reads the rest of the rows.
   *
   * @throws {ResponseError} if a page is refused; {@link run} may be called again after any exception
   */
  async run(options: PageOptions, onProgress: (size: ExportedSize) => void): Promise<Blob> {
    const { path, query, format } = this.#source;
    while (!this.#isRead) {
      const after = this.#after === null ? {} : { after: this.#after };
      const search = new URLSearchParams({ ...query, limit: PAGE_SIZE, ...after });
      const accept = format === 'csv' ? 'text/csv' : 'application/x-ndjson';
      const response = await readPage(this.#calls, { path: `${path}?${search}`, accept }, options);
      this.#add(await response.text());
      this.#after = response.headers.get('X-Next-Cursor');
      this.#isRead = this.#after === null;
      onProgress({ rows: this.#rows, bytes: this.#stored + this.#buffer.length });
    }
    return this.#finish();
  }

  #add(page: string): void {
    if (this.#source.format === 'csv') {
      const headerEnd = page.indexOf(LINE_BREAK) + LINE_BREAK.length;
      this.#rows += countRecords(page) - 1;
      this.#buffer += this.#after === null ? page : page.slice(headerEnd);
    } else {
      const lines = page.split('\n').filter((line) => line !== '');
      const isList = this.#source.format === 'json';
      for (const line of lines) {
        this.#buffer += isList ? (this.#rows === 0 ? '[\n' : ',\n') + removeLinks(line) : `${removeLinks(line)}\n`;
        this.#rows += 1;
      }
    }
    if (this.#buffer.length < MAX_BUFFER) return;
    this.#blobs.push(new Blob([this.#buffer]));
    this.#stored += this.#buffer.length;
    this.#buffer = '';
  }

  #finish(): Blob {
    const end = this.#source.format !== 'json' ? '' : this.#rows === 0 ? '[]\n' : '\n]\n';
    return new Blob([...this.#blobs, this.#buffer, end]);
  }
}

/** The number of records of CSV, whose cells may have line breaks in quotes. */
function countRecords(page: string): number {
  return page.replaceAll(/"[^"]*"/g, '').split(LINE_BREAK).length - 1;
}

/** A row without its links, which are its last member: all other bytes stay as the server has written them. */
function removeLinks(line: string): string {
  const start = line.lastIndexOf(',"links":{');
  return start === -1 ? line : `${line.slice(0, start)}}`;
}
