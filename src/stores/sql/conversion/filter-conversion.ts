import { isJsonObject, type Json } from '../../../conventions/json/json.ts';
import type { Model, OlderVersion, Resource, VersionChange } from '../../../model/model.ts';
import { readString, readStrings } from '../../../model/values/access.ts';
import type { ResourceBefore } from '../../../versions/former-fields.ts';
import { renamePath, type RenamedPath } from '../../../versions/renamed-paths.ts';
import { mapped } from '../../../versions/sources.ts';
import { listColumns, type TableColumn } from '../columns.ts';
import type { Dialect, SqlRow, SqlValue, Statement } from '../dialect.ts';
import { prepareStatement } from '../prepare.ts';
import type { ConvertedContract } from './conversion-plan.ts';
import type { BatchConversion, ConvertedBatch } from './event-return.ts';
import { findOlderContract } from './stored-contract.ts';

/** The webhooks of one read. */
const BATCH = 500;

const READ = ['id', 'filter', 'event_types', 'version'] as const;

/** The later names of a resource in its events, and of the fields and members that these are compared by. */
interface EventNames {
  readonly singular: RenamedPath;
  /** One for each contract between, the oldest first: as many for each resource. */
  readonly steps: readonly FilterStep[];
}

/** The differences of what events are compared with, between a contract and its successor. */
interface FilterStep {
  readonly names: readonly RenamedPath[];
  /** The later values, by the path before and the JSON text of the value. */
  readonly values: ReadonlyMap<string, ReadonlyMap<string, Json>>;
}

/** Gives webhooks of the newest contract the later names of what they select: types of events, fields, members. */
class FilterConversion implements BatchConversion {
  readonly #model: Model;
  readonly #table: string;
  readonly #columns: readonly TableColumn[];
  readonly #renamed: readonly EventNames[];
  readonly #dialect: Dialect;

  constructor(model: Model, webhooks: Resource, renamed: readonly EventNames[], dialect: Dialect) {
    const columns = new Map(listColumns(webhooks).map((column) => [column.name, column]));
    this.#model = model;
    this.#table = webhooks.name;
    this.#columns = READ.flatMap((name) => columns.get(name) ?? []);
    this.#renamed = renamed;
    this.#dialect = dialect;
  }

  get first(): Statement {
    return this.#read(null);
  }

  convert(rows: readonly SqlRow[]): ConvertedBatch {
    const { quote } = this.#dialect;
    const text = `update ${quote(this.#table)} set ${quote('filter')} = ?, ${quote('event_types')} = ? where ${quote('id')} = ?`;
    const replace = prepareStatement(this.#dialect, text);
    const writes = rows.flatMap((row) => {
      const [id = null, filter = null, patterns = null, version] = this.#columns.map((column) =>
        this.#decode(column, row),
      );
      if (!this.#isOwn(readString(version) ?? '')) return [];
      const types = readStrings(patterns);
      const later = typeof filter === 'string' ? this.#renameFilter(filter, types) : null;
      const selected = this.#renameTypes(types);
      if (later === filter && selected.join() === types.join()) return [];
      return [replace(later, this.#encode('event_types', selected), this.#encode('id', id))];
    });
    const last = rows.at(-1);
    return { writes, next: last === undefined || rows.length < BATCH ? null : this.#read(last['key'] ?? null) };
  }

  #read(after: SqlValue): Statement {
    const { quote } = this.#dialect;
    const columns = this.#columns.map(
      ({ name, type }) => `${this.#dialect.selection(quote(name), type)} as ${quote(name)}`,
    );
    const from = `select ${quote('id')} as ${quote('key')}, ${columns.join(', ')} from ${quote(this.#table)}`;
    const order = `order by ${quote('id')} limit ${BATCH}`;
    return after === null
      ? { text: `${from} ${order}`, values: [] }
      : prepareStatement(this.#dialect, `${from} where ${quote('id')} > ? ${order}`)(after);
  }

  #decode({ name, type }: TableColumn, row: SqlRow): Json {
    const stored = row[name] ?? null;
    const decode = this.#dialect.decode(type);
    return stored === null ? null : decode === null ? String(stored) : decode(stored);
  }

  #encode(name: (typeof READ)[number], value: Json): SqlValue {
    const column = this.#columns.find((each) => each.name === name);
    return column === undefined || value === null ? null : (this.#dialect.encode(column.type)(value) ?? null);
  }

  /** True for webhooks of the newest contract: those of an older one have its names. */
  #isOwn(version: string): boolean {
    const [major, minor] = version.split('.');
    if (Number(major) !== this.#model.version.major) return false;
    return minor === undefined || findOlderContract(this.#model, version) === null;
  }

  /** @param patterns types of events: the resources that the filter is for */
  #renameFilter(filter: string, patterns: readonly string[]): string {
    const selected = this.#renamed.filter(({ singular }) =>
      patterns.some((pattern) => pattern === '*' || pattern.startsWith(`${singular.from}.`)),
    );
    const before: Json = JSON.parse(filter);
    const after = (selected[0]?.steps ?? []).reduce<Json>((tree, _step, level) => {
      const steps = selected.flatMap((each) => each.steps[level] ?? []);
      const values = new Map(steps.flatMap((each) => [...each.values]));
      return convertTree(tree, { names: steps.flatMap(({ names }) => names), values });
    }, before);
    return JSON.stringify(after) === JSON.stringify(before) ? filter : JSON.stringify(after);
  }

  #renameTypes(patterns: readonly string[]): readonly string[] {
    const singulars = this.#renamed.map(({ singular }) => singular);
    return patterns.map((pattern) => renamePath(pattern, singulars));
  }
}

/** Converts the fields of a policy: `all`, `any` and `not` are over policies, other members are paths. */
function convertTree(tree: Json, step: FilterStep): Json {
  if (Array.isArray(tree)) return tree.map((each: Json) => convertTree(each, step));
  if (!isJsonObject(tree)) return tree;
  return Object.fromEntries(
    Object.entries(tree).map(([name, value]): [string, Json] =>
      name === 'all' || name === 'any' || name === 'not'
        ? [name, convertTree(value, step)]
        : [renamePath(name, step.names), convertCompared(value, step.values.get(name) ?? null)],
    ),
  );
}

/** Converts the value that a field is compared with, a list of values, or those of operators. */
function convertCompared(value: Json, values: ReadonlyMap<string, Json> | null): Json {
  if (values === null) return value;
  if (!isJsonObject(value)) return mapped(value, values);
  return Object.fromEntries(Object.entries(value).map(([operator, each]) => [operator, mapped(each, values)]));
}

/** The conversion of what webhooks select. @param from the contract of the rows before */
export function planFilters(model: Model, { form }: ConvertedContract, dialect: Dialect): readonly BatchConversion[] {
  const webhooks = model.resources.get(model.webhooks?.resources.webhooks ?? '');
  if (webhooks === undefined || form === null) return [];
  const { former, version } = form;
  const names = former === null ? listNames(model, version) : former.resources.map(describeFormer);
  return [new FilterConversion(model, webhooks, names, dialect)];
}

function describeFormer({ resource, before, fields, renamed }: ResourceBefore): EventNames {
  const singular = { from: before.singular, to: resource.singular };
  return { singular, steps: [{ names: [...fields, ...renamed], values: new Map() }] };
}

/** The names of a contract that the model lists. Values of a `type`, `split` or `join` stay as they are. */
function listNames(model: Model, version: OlderVersion): readonly EventNames[] {
  const versions = model.versions.slice(0, model.versions.indexOf(version) + 1).toReversed();
  return [...model.resources.values()].flatMap(({ name, singular }): readonly EventNames[] => {
    const older = version.model.resources.get(name);
    if (older === undefined) return [];
    const steps = versions.map(({ changes }) => findFilterStep(changes.filter(({ resource }) => resource === name)));
    return [{ singular: { from: older.singular, to: singular }, steps }];
  });
}

function findFilterStep(changes: readonly VersionChange[]): FilterStep {
  return {
    names: changes.flatMap((change) => (change.kind === 'rename' || change.kind === 'move' ? [change] : [])),
    values: new Map(
      changes.flatMap((change) => (change.kind === 'values' ? [[change.field, change.up] as const] : [])),
    ),
  };
}
