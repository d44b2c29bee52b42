import type { Json } from '../conventions/json/json.ts';
import { versionText } from '../conventions/versioning.ts';
import { jsonEquals } from '../conventions/json/json-equality.ts';
import type { Model, OlderVersion, Resource, VersionChange } from '../model/model.ts';
import { formatValue } from '../model/values/messages.ts';
import { type ContractMapping, contractMappings } from './contract-mapping.ts';
import { contractTable, type RowConversion } from './row-conversion.ts';
import { mapped } from './sources.ts';

/** The effect of a change on stored rows: another name alone, or values that are read and written. */
export type RowEffect = 'none' | 'adds' | 'renames' | 'converts' | 'drops' | 'checks';

/** One change of stored rows between two contracts, as their models alone say it (VER-5c). */
export interface StoredRowChange {
  /** Name of the resource in the newest model, or in the older one where that is gone. */
  readonly resource: string;
  /** The version whose list has the change; null for a difference that no list has. */
  readonly version: string | null;
  readonly change:
    | 'rename'
    | 'values'
    | 'move'
    | 'split'
    | 'join'
    | 'type'
    | 'with'
    | 'without'
    | 'fill'
    | 'names'
    | 'absent'
    | 'unlisted';
  readonly effect: RowEffect;
  /** Dotted paths of the older contract, and of its successor. */
  readonly from: readonly string[];
  readonly to: readonly string[];
  /** The fields of the newest contract that it concerns. */
  readonly columns: readonly string[];
  /** The change in a few words: `city to place.city`. */
  readonly what: string;
  /** The rows that it needs consent for: `rows that have a value lose it`; null where it needs none. */
  readonly consent: string | null;
  /** False if rows do not get their values back by the opposite change. */
  readonly reversible: boolean;
}

/** A version between the rows and the newest contract. */
interface ContractStep {
  readonly version: string;
  readonly changes: readonly VersionChange[];
  readonly older: (resource: string) => Resource | null;
  readonly newer: Model;
  /** The mapping of its successor; null for the newest contract. */
  readonly mapping: ContractMapping | null;
}

/** Values that a text names, at most. */
const MAX_VALUES = 6;

/**
 * Lists the changes of all versions from one to the newest, the oldest first.
 *
 * @param version one of the versions of the model
 * @param conversions those of its rows, by resource
 * @param was the model that the rows are of, whose values may be more than those of `version`
 */
export function listRowChanges(
  model: Model,
  version: OlderVersion,
  conversions: ReadonlyMap<string, RowConversion>,
  was: Model = version.model,
): readonly StoredRowChange[] {
  const mappings = contractMappings(model);
  const versions = model.versions.slice(0, model.versions.indexOf(version) + 1);
  return versions
    .map((each, level): readonly StoredRowChange[] => {
      const step: ContractStep = {
        version: versionText(each.version),
        changes: each.changes,
        older: (name) =>
          each === version ? findPublished(was, version, name) : (each.model.resources.get(name) ?? null),
        newer: versions[level - 1]?.model ?? model,
        mapping: mappings[level - 1] ?? null,
      };
      return each.changes.flatMap((change) => describeListed(change, step, conversions.get(change.resource) ?? null));
    })
    .toReversed()
    .flat();
}

function describeListed(
  change: VersionChange,
  step: ContractStep,
  conversion: RowConversion | null,
): readonly StoredRowChange[] {
  const { resource } = change;
  const base = { resource, version: step.version, from: [], to: [], columns: [], consent: null, reversible: true };
  switch (change.kind) {
    case 'rename':
    case 'move':
      return [{ ...base, ...describeMoved(change, step, conversion) }];
    case 'convert': {
      const { from, to } = change;
      const kind = to.length > 1 ? 'split' : from.length > 1 ? 'join' : 'type';
      const what = `${from.join(', ')} to ${to.join(', ')}`;
      return [
        { ...base, change: kind, effect: 'converts', from, to, columns: findColumns(resource, to, step.mapping), what },
      ];
    }
    case 'values':
      return [{ ...base, ...describeValues(change, step) }];
    case 'with': {
      const other = change.out === null ? 'that have a value' : `whose value is not ${formatValue(change.out)}`;
      const consent = `rows ${other} lose it`;
      const dropped = { change: 'with', effect: 'drops', from: [change.field], what: change.field } as const;
      return [{ ...base, ...dropped, consent, reversible: false }];
    }
    case 'without':
    case 'fill': {
      const columns = findColumns(resource, [change.field], step.mapping);
      const what =
        change.kind === 'without' ? change.field : `${change.field}: ${formatValue(change.value)} in these rows`;
      return [{ ...base, change: change.kind, effect: 'adds', to: [change.field], columns, what }];
    }
    case 'names':
      return [{ ...base, ...describeNames(resource, step) }];
    case 'absent':
      return [{ ...base, change: 'absent', effect: 'adds', what: 'the collection' }];
  }
}

function describeMoved(
  { kind, resource, from, to }: Extract<VersionChange, { kind: 'rename' | 'move' }>,
  { mapping }: ContractStep,
  conversion: RowConversion | null,
): Pick<StoredRowChange, 'change' | 'effect' | 'from' | 'to' | 'columns' | 'what'> {
  const columns = findColumns(resource, [to], mapping);
  const effect = columns.some((name) => isConverted(name, conversion)) ? 'converts' : 'renames';
  return { change: kind, effect, from: [from], to: [to], columns, what: `${from} to ${to}` };
}

function isConverted(column: string, conversion: RowConversion | null): boolean {
  return conversion?.to.some(({ name }) => name === column) ?? false;
}

/** The fields of the newest contract for paths of a version. @param mapping that of the version */
function findColumns(resource: string, paths: readonly string[], mapping: ContractMapping | null): readonly string[] {
  const names = [...new Set(paths.map((path) => path.split('.')[0] ?? path))];
  return mapping?.resources.get(resource)?.columns(names) ?? names;
}

function describeNames(
  name: string,
  { older, newer }: ContractStep,
): Pick<StoredRowChange, 'change' | 'effect' | 'what'> {
  const [was, is] = [older(name), newer.resources.get(name)];
  const [from, to] = [was, is].map((each) => (each === null || each === undefined ? name : contractTable(each)));
  if (from !== to) return { change: 'names', effect: 'renames', what: `the collection ${from} to ${to}` };
  return { change: 'names', effect: 'none', what: `${was?.singular ?? name} to ${is?.singular ?? name}` };
}

type ValueMapping = Extract<VersionChange, { kind: 'values' }>;

function describeValues(change: ValueMapping, step: ContractStep): Omit<StoredRowChange, 'resource' | 'version'> {
  const { field, up, isOneToOne } = change;
  const pairs = [...up].map(([from, to]) => `${formatValue(JSON.parse(from))} to ${formatValue(to)}`);
  const shown = pairs.length > MAX_VALUES ? [...pairs.slice(0, MAX_VALUES), '...'] : pairs;
  const known =
    step.older(change.resource)?.properties.get(field)?.allowed ?? [...up.keys()].map((text): Json => JSON.parse(text));
  const lost = known.filter((value) => !jsonEquals(mapped(mapped(value, up), change.down), value));
  const refused = known.filter((value) => !isAllowed(mapped(value, up), change, step));
  const consents = [
    ...(lost.length === 0 ? [] : [`rows with ${listValues(lost)} would show another value in ${step.version}`]),
    ...(refused.length === 0 ? [] : [`rows with ${listValues(refused)} have no value that is allowed`]),
  ];
  return {
    change: 'values',
    effect: 'converts',
    from: [field],
    to: [field],
    columns: findColumns(change.resource, [field], step.mapping),
    what: `values of ${field} (${shown.join(', ')})`,
    consent: consents.length === 0 ? null : consents.join('; '),
    reversible: isOneToOne && lost.length === 0,
  };
}

/** Checks a value of the successor against its `enum`. The field may have another name there. */
function isAllowed(value: Json, { resource, field }: ValueMapping, { newer, changes }: ContractStep): boolean {
  const renamed = changes.find(
    (each) => (each.kind === 'rename' || each.kind === 'move') && each.resource === resource && each.from === field,
  );
  const path = renamed?.kind === 'rename' || renamed?.kind === 'move' ? renamed.to : field;
  const allowed = newer.resources.get(resource)?.properties.get(path)?.allowed ?? null;
  return allowed === null || value === null || allowed.some((each) => jsonEquals(each, value));
}

/**
 * Finds a resource in the model that a database is of: there its key is the name that the collection has in that
 * version.
 *
 * @param name its key in the newest model
 */
export function findPublished(was: Model, version: OlderVersion | null, name: string): Resource | null {
  const derived = version?.model.resources.get(name);
  const key = derived === undefined ? name : contractTable(derived);
  return was.resources.get(key) ?? was.resources.get(name) ?? null;
}

function listValues(values: readonly Json[]): string {
  const texts = values.map(formatValue);
  const shown = texts.length > MAX_VALUES ? [...texts.slice(0, MAX_VALUES), '...'] : texts;
  return shown.join(', ');
}
