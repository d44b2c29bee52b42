import type { DifferenceKind } from '../model/diff/difference-kinds.ts';
import { diffModels } from '../model/diff/diff-models.ts';
import type { Field, Model, OlderVersion, Resource, ValueType } from '../model/model.ts';
import { findPublished, listRowChanges, type StoredRowChange, type RowEffect } from './row-changes.ts';
import { findFormerContract, type FormerSearch } from './former-contract.ts';
import { contractTable, findStoredDifference, type RowConversion, type StoredDifference } from './row-conversion.ts';

/** The differences after which stored rows may break a rule. */
const NARROWER: ReadonlySet<DifferenceKind> = new Set<DifferenceKind>([
  'type-narrower',
  'null-refused',
  'field-required',
  'enum-added',
  'enum-value-removed',
  'values-narrower',
  'values-changed',
  'unique-added',
  'reference-added',
  'reference-changed',
]);

/**
 * Describes the effect of a step between two models on stored rows, without a database. The changes of `versions` come
 * first, then what no list has.
 *
 * @param was the model that the rows are of
 * @param version the version of `model` whose rows they are; null where `versions` has none, and for the newest
 */
export function describeRowStep(was: Model, model: Model, version: OlderVersion | null): readonly StoredRowChange[] {
  const former = version === null ? findFormer(was, model) : null;
  const rows = version ?? former?.contract?.version ?? null;
  const difference: StoredDifference =
    rows === null ? { model, conversions: new Map() } : findStoredDifference(model, rows);
  const listed =
    version === null ? (former?.contract?.changes ?? []) : listRowChanges(model, version, difference.conversions, was);
  const pairs = [...difference.model.resources.values()].map(
    (is): ComparedResource => ({
      is,
      was: findPublished(was, version, is.name) ?? was.resources.get(is.was ?? '') ?? null,
      conversion: difference.conversions.get(is.name) ?? null,
      listed: listed.filter(({ resource }) => resource === is.name),
    }),
  );
  const found = new Set(pairs.map((pair) => pair.was));
  const dropped = [...was.resources.values()].filter((each) => !found.has(each));
  const changes = [
    ...listed,
    ...pairs.flatMap(describeUnlisted),
    ...(former === null ? [] : describeFormer(former)),
    ...describeNarrower(was, model, { version, pairs }),
    ...dropped.map(({ name }) => ({
      ...unlisted(name, 'drops', 'the collection'),
      consent: 'its rows are lost',
      reversible: false,
    })),
  ];
  // No migration changes the tables of another program.
  const own = changes.filter(
    ({ resource }) => (model.resources.get(resource) ?? was.resources.get(resource))?.table === null,
  );
  return [...Map.groupBy(own, ({ resource }) => resource).values()].flat();
}

/** Members of objects that are gone, and former names that cannot be followed. */
function describeFormer({ problems, dropped }: FormerSearch): readonly StoredRowChange[] {
  return [
    ...problems.map(({ resource, problem }) => ({
      ...unlisted(resource, 'checks', problem),
      consent: 'it is refused',
    })),
    ...[...dropped].flatMap(([resource, paths]) => paths.map((path) => describeDropped(resource, path))),
  ];
}

/** The contract of the model before, which has other names (`was`, `x-was`). */
function findFormer(was: Model, model: Model): FormerSearch {
  return findFormerContract(model, was.version, ({ name, was: former }) => {
    const before = was.resources.get(name) ?? was.resources.get(former ?? '');
    return before === undefined ? null : { ...before, table: before.name };
  });
}

/** A resource in both models. */
interface ComparedResource {
  /** With the names that it and its fields have in the older one (`was`). */
  readonly is: Resource;
  readonly was: Resource | null;
  readonly conversion: RowConversion | null;
  /** The changes of `versions`. */
  readonly listed: readonly StoredRowChange[];
}

function unlisted(resource: string, effect: RowEffect, what: string): StoredRowChange {
  return {
    resource,
    version: null,
    change: 'unlisted',
    effect,
    from: [],
    to: [],
    columns: [],
    what,
    consent: null,
    reversible: true,
  };
}

function describeUnlisted({ is, was, conversion, listed }: ComparedResource): readonly StoredRowChange[] {
  if (was === null)
    return listed.some(({ change }) => change === 'absent') ? [] : [unlisted(is.name, 'adds', 'the collection')];
  const known = new Set(listed.flatMap(({ columns }) => columns));
  const sources = is.fields.map((field) => [field, findSource(field, was)] as const);
  const taken = new Set([
    ...sources.map(([, source]) => source?.name),
    ...(conversion?.from ?? []).map(({ name }) => name),
    was.parent?.field,
  ]);
  const isRenamed = contractTable(was) !== contractTable(is) && is.name !== was.name;
  const names = isRenamed && !listed.some(({ change }) => change === 'names');
  return [
    ...(names ? [unlisted(is.name, 'renames', `the collection ${was.name} to ${is.name}`)] : []),
    ...sources
      .filter(([{ name }]) => !known.has(name) && name !== is.parent?.field)
      .flatMap(([field, source]) => describeField(is.name, field, source)),
    ...was.fields.filter(({ name }) => !taken.has(name)).map(({ name }) => describeDropped(is.name, name)),
  ];
}

/** The field whose values a field has. */
function findSource({ name, was }: Field, { field }: Resource): Field | null {
  return field.get(name) ?? field.get(was ?? '') ?? null;
}

function describeDropped(resource: string, name: string): StoredRowChange {
  const change = { ...unlisted(resource, 'drops', name), from: [name] };
  return { ...change, consent: 'rows that have a value lose it', reversible: false };
}

function describeField(resource: string, field: Field, source: Field | null): readonly StoredRowChange[] {
  const { name } = field;
  if (source === null) {
    const isMissing = !field.nullable && (field.default === undefined || field.default === null);
    const consent = isMissing ? 'rows need a value: declare a default' : null;
    return [{ ...unlisted(resource, 'adds', name), to: [name], consent: field.type.kind === 'array' ? null : consent }];
  }
  const both = { from: [source.name], to: [name], columns: [name] };
  const renamed =
    source.name === name ? [] : [{ ...unlisted(resource, 'renames', `${source.name} to ${name}`), ...both }];
  if (isStoredAlike(source.type, field.type)) return renamed;
  const what = `${name} from ${source.type.kind} to ${field.type.kind}`;
  const isWider = isWiderType(source.type, field.type);
  const consent = isWider ? null : 'rows that have a value lose it';
  return [
    ...renamed,
    { ...unlisted(resource, isWider ? 'converts' : 'drops', what), ...both, consent, reversible: false },
  ];
}

/** True if all stored values of a type are values of another one. */
function isWiderType(from: ValueType, to: ValueType): boolean {
  if (to.kind === 'json') return ['object', 'map', 'array'].includes(from.kind);
  return from.kind === 'integer' && ['number', 'int64', 'text'].includes(to.kind);
}

function isStoredAlike(one: ValueType, other: ValueType): boolean {
  if (one.kind !== 'decimal' || other.kind !== 'decimal') return one.kind === other.kind;
  return one.scale === other.scale && (one.precision === null) === (other.precision === null);
}

/** Rules that stored rows may break. Converted values are judged by the conversion. */
function describeNarrower(
  was: Model,
  model: Model,
  { version, pairs }: { readonly version: OlderVersion | null; readonly pairs: readonly ComparedResource[] },
): readonly StoredRowChange[] {
  const names = new Map(pairs.map((pair) => [pair.was?.name, pair] as const));
  return diffModels(was, version?.model ?? model).differences.flatMap(({ kind, resource, path, what }) => {
    const pair = names.get(resource ?? '') ?? pairs.find(({ is }) => is.name === resource);
    if (!NARROWER.has(kind) || resource === null || pair === undefined) return [];
    const field = path.slice(resource.length + 1).replaceAll('[]', '');
    const isConverted = pair.conversion?.from.some(({ name }) => name === field.split('.')[0]) ?? false;
    if (isConverted || isRetyped(pair, field)) return [];
    const text = field === '' ? what : `${field}: ${what}`;
    return [{ ...unlisted(pair.is.name, 'checks', text), from: [field], consent: 'rows that break it' }];
  });
}

/** Checks if the values of a field are replaced, whatever they are. */
function isRetyped({ is, was }: ComparedResource, name: string): boolean {
  const [before, after] = [was?.field.get(name), is.field.get(name)];
  return before !== undefined && after !== undefined && !isStoredAlike(before.type, after.type);
}
