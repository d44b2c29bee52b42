import { versions } from 'node:process';
import type { Resource } from '../../../model/model.ts';
import { isHidden, keyMembers } from '../../../model/row-key.ts';
import { WORD_RULES_VERSION } from '../../../plan/filter/search.ts';
import { sqlite } from '../dialect/sqlite-dialect.ts';
import { searchedTexts, searchNames, WORDS_FUNCTION } from '../dialect/search-tables.ts';

const { quote } = sqlite;

/** The version of the word rules. It is a part of the triggers, so that other rules lead to other triggers. */
const RULES_COMMENT = `/* words ${WORD_RULES_VERSION}, Unicode ${versions['unicode']} */`;

/** A table or trigger of a search index; equal definitions mean equal indexes. */
export interface SearchObject {
  readonly type: 'table' | 'trigger';
  readonly name: string;
  /** The words between `create` and the name. */
  readonly kind: 'table' | 'virtual table' | 'trigger';
  /** From the name on, as the database stores it. */
  readonly definition: string;
}

/** The search index of a resource, and the statements that fill it with existing rows. */
export interface SearchIndex {
  readonly objects: readonly SearchObject[];
  readonly fill: readonly string[];
}

function wordsIn(resource: Resource, row: string): string {
  return `${WORDS_FUNCTION}(${searchedTexts(sqlite, resource, row).join(', ')})`;
}

function searchTrigger(name: string, occasion: string, statements: readonly string[]): SearchObject {
  const body = statements.map((each) => `  ${each};\n`).join('');
  return {
    type: 'trigger',
    name,
    kind: 'trigger',
    definition: `${quote(name)} ${occasion} begin ${RULES_COMMENT}\n${body}end`,
  };
}

/** The columns of the table of keys. @param key the members that identify a row, its own id first */
function keyColumns(key: readonly string[]): string {
  if (key.length === 1) return 'key integer primary key, id text not null unique';
  const ids = key.map((name) => `${keyName(name)} text not null`);
  return ['key integer primary key', ...ids, `unique (${key.toReversed().map(keyName).join(', ')})`].join(', ');
}

/**
 * A condition: two rows have the same key.
 *
 * @param one prefix of the columns of one row
 * @param other of the other one
 */
function sameKey(key: readonly string[], one: string, other: string): string {
  return key.map((name) => `${one}${keyName(name)} = ${other}${keyName(name)}`).join(' and ');
}

/** A member of a key, quoted only where it has to be: another definition would mean another index. */
function keyName(member: string): string {
  return isHidden(member) ? quote(member) : member;
}

/**
 * The index of a searchable resource. FTS5 gets words that are already split and folded, separated by spaces, so that
 * its simplest tokenizer takes them as they are. It stores which rows have a word and nothing else: the texts are in
 * the row, and positions are not needed. Triggers maintain it, so that it changes in the transaction of the row.
 * Prefixes of one and two letters are indexed too. FTS5 would collect them from all matching words before the first
 * row, and no deadline could stop it (QRY-3).
 */
export function searchIndex(resource: Resource): SearchIndex {
  const names = searchNames(resource.name);
  const [words, keys, rows] = [quote(names.words), quote(names.keys), quote(resource.name)];
  const key = keyMembers(resource);
  const members = key.map(keyName).join(', ');
  const of = (row: string): string => key.map((name) => `${row}.${keyName(name)}`).join(', ');
  const matchesKey = (row: string): string => sameKey(key, '', `${row}.`);
  const findKey = (row: string): string => `(select key from ${keys} where ${matchesKey(row)})`;
  const trigger = (name: string, occasion: string, statements: readonly string[]): SearchObject =>
    searchTrigger(name, `after ${occasion} on ${rows}`, statements);
  const searched = [...new Set(resource.search.map((path) => quote(path.split('.')[0] ?? path)))].join(', ');
  const using = `fts5(words, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii', prefix = '1 2')`;
  return {
    objects: [
      {
        type: 'table',
        name: names.keys,
        kind: 'table',
        definition: `${keys} (${keyColumns(key)}) strict`,
      },
      { type: 'table', name: names.words, kind: 'virtual table', definition: `${words} using ${using}` },
      trigger(names.triggers.insert, 'insert', [
        `insert into ${keys} (${members}) values (${of('new')})`,
        `insert into ${words} (rowid, words) values (last_insert_rowid(), ${wordsIn(resource, 'new')})`,
      ]),
      trigger(names.triggers.update, `update of ${searched}`, [
        `update ${words} set words = ${wordsIn(resource, 'new')} where rowid = ${findKey('new')}`,
      ]),
      trigger(names.triggers.delete, 'delete', [
        `delete from ${words} where rowid = ${findKey('old')}`,
        `delete from ${keys} where ${matchesKey('old')}`,
      ]),
    ],
    fill: [
      `insert into ${keys} (${members}) select ${members} from ${rows}`,
      `insert into ${words} (rowid, words) select held.key, ${wordsIn(resource, 'searched')}` +
        ` from ${keys} as held cross join ${rows} as searched on ${sameKey(key, 'searched.', 'held.')} order by held.key`,
    ],
  };
}
