import { isJsonObject, type Json } from '../../../conventions/json/json.ts';
import type { Model, Resource } from '../../../model/model.ts';
import { readString, readStrings } from '../../../model/values/access.ts';
import type { FormerContract } from '../../../versions/former-contract.ts';
import { renamePath, type RenamedPath } from '../../../versions/renamed-paths.ts';
import { listColumns, type TableColumn } from '../columns.ts';
import type { Dialect, SqlRow, SqlValue, Statement } from '../dialect.ts';
import { prepareStatement } from '../prepare.ts';
import type { ConvertedContract } from './conversion-plan.ts';
import type { BatchConversion, ConvertedBatch } from './event-return.ts';
import { findOlderContract } from './stored-contract.ts';

/** The webhooks of one read. */
const BATCH = 500;

const WEBHOOKS = 'webhooks';
const READ = ['id', 'filter', 'event_types', 'version'] as const;

/** The later names of a resource's fields and members, in what its events are compared with. */
interface ComparedNames {
  readonly singular: string;
  readonly names: readonly RenamedPath[];
}

/** Gives the filters of webhooks the later names of fields and members (`x-was`). */
class FilterConversion implements BatchConversion {
  readonly #model: Model;
  readonly #columns: readonly TableColumn[];
  readonly #renamed: readonly ComparedNames[];
  readonly #dialect: Dialect;

  constructor(model: Model, webhooks: Resource, renamed: readonly ComparedNames[], dialect: Dialect) {
    const columns = new Map(listColumns(webhooks).map((column) => [column.name, column]));
    this.#model = model;
    this.#columns = READ.flatMap((name) => columns.get(name) ?? []);
    this.#renamed = renamed;
    this.#dialect = dialect;
  }

  get first(): Statement {
    return this.#read(null);
  }

  convert(rows: readonly SqlRow[]): ConvertedBatch {
    const { quote } = this.#dialect;
    const text = `update ${quote(WEBHOOKS)} set ${quote('filter')} = ? where ${quote('id')} = ?`;
    const replace = prepareStatement(this.#dialect, text);
    const writes = rows.flatMap((row) => {
      const [id, filter, patterns = null, version] = this.#columns.map((column) => this.#decode(column, row));
      const before = readString(filter) ?? '';
      const after = this.#isOwn(readString(version) ?? '') ? this.#rename(before, readStrings(patterns)) : before;
      return after === before ? [] : [replace(after, this.#encodeId(readString(id) ?? ''))];
    });
    const last = rows.at(-1);
    return { writes, next: last === undefined || rows.length < BATCH ? null : this.#read(last['key'] ?? null) };
  }

  #read(after: SqlValue): Statement {
    const { quote } = this.#dialect;
    const columns = this.#columns.map(
      ({ name, type }) => `${this.#dialect.selection(quote(name), type)} as ${quote(name)}`,
    );
    const from = `select ${quote('id')} as ${quote('key')}, ${columns.join(', ')} from ${quote(WEBHOOKS)} where ${quote('filter')} is not null`;
    const order = `order by ${quote('id')} limit ${BATCH}`;
    return after === null
      ? { text: `${from} ${order}`, values: [] }
      : prepareStatement(this.#dialect, `${from} and ${quote('id')} > ? ${order}`)(after);
  }

  #decode({ name, type }: TableColumn, row: SqlRow): Json {
    const stored = row[name] ?? null;
    const decode = this.#dialect.decode(type);
    return stored === null ? null : decode === null ? String(stored) : decode(stored);
  }

  #encodeId(id: string): SqlValue {
    const column = this.#columns.find(({ name }) => name === 'id');
    return column === undefined ? id : (this.#dialect.encode(column.type)(id) ?? null);
  }

  /** True for webhooks of the newest contract: those of an older one have its names. */
  #isOwn(version: string): boolean {
    const [major, minor] = version.split('.');
    if (Number(major) !== this.#model.version.major) return false;
    return minor === undefined || findOlderContract(this.#model, version) === null;
  }

  /** @param patterns types of events: the resources that the filter is for */
  #rename(filter: string, patterns: readonly string[]): string {
    const selected = this.#renamed.filter(({ singular }) =>
      patterns.some((pattern) => pattern === '*' || pattern.startsWith(`${singular}.`)),
    );
    const names = selected.flatMap((each) => each.names);
    return names.length === 0 ? filter : JSON.stringify(renameTree(JSON.parse(filter), names));
  }
}

/** Renames the fields of a policy: `all`, `any` and `not` are over policies, other members are paths. */
function renameTree(tree: Json, names: readonly RenamedPath[]): Json {
  if (Array.isArray(tree)) return tree.map((each: Json) => renameTree(each, names));
  if (!isJsonObject(tree)) return tree;
  return Object.fromEntries(
    Object.entries(tree).map(([name, value]): [string, Json] =>
      name === 'all' || name === 'any' || name === 'not'
        ? [name, renameTree(value, names)]
        : [renamePath(name, names), value],
    ),
  );
}

/** The conversion of the filters of webhooks. @param from the contract of the rows before */
export function planFilters(model: Model, { form }: ConvertedContract, dialect: Dialect): readonly BatchConversion[] {
  const webhooks = model.resources.get(WEBHOOKS);
  const former = form?.former ?? null;
  if (webhooks === undefined || model.webhooks === null || former === null) return [];
  const renamed = [...model.resources.values()].map((resource) => ({
    singular: resource.singular,
    names: listNames(resource.name, former),
  }));
  return [new FilterConversion(model, webhooks, renamed, dialect)];
}

function listNames(resource: string, { version, changes }: FormerContract): readonly RenamedPath[] {
  const fields = version.changes.flatMap((change): readonly RenamedPath[] => {
    if (change.resource !== resource) return [];
    if (change.kind === 'rename') return [{ from: change.from, to: change.to }];
    return change.kind === 'convert' ? [{ from: change.from.join(), to: change.to.join() }] : [];
  });
  const members = changes.flatMap((each) =>
    each.resource === resource ? [{ from: each.from.join(), to: each.to.join() }] : [],
  );
  return [...fields, ...members];
}
