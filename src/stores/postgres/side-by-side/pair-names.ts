import { digest } from '../../../platform/digest.ts';
import type { ModelProfile } from '../../sql/schema/model-profile.ts';
import { quoteText } from '../../sql/standard-dialect.ts';
import { MAX_NAME, quote } from '../dialect/literals.ts';

const DIGEST_LENGTH = 8;

/** The rows that instances of one of two models have written, and that are not converted for the other one yet. */
export const MARKS = 'restwright_unconverted';

/** Names the trigger and the function that mark the rows of a table. */
export const MARKER = 'restwright_mark ';

/** The parameter of a session that says which model writes: an id of the pair, `none`, or nothing. */
export const WRITER = 'restwright.writer';

/** The names of a pair of models in a database. */
export interface PairNames {
  /** Identifies the newer model. */
  readonly id: string;
  /** The schema of the tables. */
  readonly schema: string;
  /** The schema of the views in which instances of the newer model find their columns. */
  readonly views: string;
}

/** @param newer the profile of the newer model */
export function namePair(schema: string, newer: ModelProfile): PairNames {
  const id = Buffer.from(digest(JSON.stringify([schema, newer])), 'base64url')
    .toString('hex')
    .slice(0, DIGEST_LENGTH);
  return { id, schema, views: `${schema.slice(0, MAX_NAME - DIGEST_LENGTH - 1)}_${id}` };
}

/** The table of marks, with its schema. */
export function marksTable({ schema }: Pick<PairNames, 'schema'>): string {
  return `${quote(schema)}.${quote(MARKS)}`;
}

/** The statement that creates the table of marks. It stays, empty, when the older model is gone. */
export function createMarks(names: PairNames): string {
  return `create table if not exists ${marksTable(names)} (model text not null, resource text not null, key text[] not null,
  writer text not null, created boolean not null, primary key (model, resource, key))`;
}

/** Reads a row if rows of a pair are not converted. */
export function selectMarked(names: PairNames): string {
  return `select 1 as marked from ${marksTable(names)} where model = ${quoteText(names.id)} limit 1`;
}

/** The statement after which a transaction marks no rows, or those of the session again. */
export function setWriter(writer: string): string {
  return `select set_config('${WRITER}', ${quoteText(writer)}, true)`;
}
