import { API_KEY_ISSUER } from '../../../auth/api-keys.ts';
import { GATEWAY_ISSUER } from '../../../auth/gateway.ts';
import type { AuthRules, Field, Model, Resource } from '../../../model/model.ts';
import { earlierIssuerNames, NAME_END } from '../../../model/issuer-names.ts';
import type { Policy, PolicyValue } from '../../../model/policy.ts';
import { comparisons } from '../../../plan/policy-paths.ts';
import type { Dialect } from '../dialect.ts';
import { quoteText } from '../standard-dialect.ts';
import type { CurrentTable } from './alteration.ts';
import type { SchemaStep, StepCost, StepLock } from './schema-errors.ts';
import type { FoundRows, StoredRows } from './stored-rows.ts';

/** Precedes an owner that cannot be converted. No issuer has an empty name, so that it names no caller. */
const NO_ONE = NAME_END;

/** A text with which stored owners of an issuer begin. */
interface OwnerPrefix {
  /** An earlier name of the issuer, and the colon after it. */
  readonly text: string;
  /** The present name, and the colon after it. */
  readonly to: string;
}

/** The database whose owners are converted. */
export interface ConvertedDatabase {
  readonly rows: StoredRows;
  readonly tables: readonly CurrentTable[];
  readonly dialect: Dialect;
  /** Names the lock of a statement that rewrites rows of a table. */
  readonly lock: (table: string, cost: StepCost) => StepLock;
}

/** A column that holds owners. */
interface OwnerColumn {
  readonly table: string;
  readonly column: string;
  /** The field, for messages. */
  readonly name: string;
  /** True if the server alone writes it, so that each value is the name of a caller. */
  readonly isOwner: boolean;
  /** Names the column with the issuer of each owner; null if only the owner itself names it. */
  readonly issuer: string | null;
}

/**
 * Makes the steps that convert owners of the form in which names of issuers could have a colon (AUTH-9b). A text that
 * may be of two callers becomes that of none. It and one of no issuer are losses, which need consent.
 */
export function convertOwners(model: Model, database: ConvertedDatabase): readonly SchemaStep[] {
  const prefixes = listPrefixes(model.auth);
  return listColumns(model, database).flatMap((column) => convertColumn(column, prefixes, database));
}

function listPrefixes(auth: AuthRules | null): readonly OwnerPrefix[] {
  const server = [GATEWAY_ISSUER, API_KEY_ISSUER].map((name) => ({ text: name + NAME_END, to: name + NAME_END }));
  const declared = (auth?.issuers ?? []).flatMap((issuer) =>
    earlierIssuerNames(issuer).map((name) => ({ text: name + NAME_END, to: issuer.name + NAME_END })),
  );
  const all = [...server, ...declared];
  const current = new Set(all.flatMap(({ text, to }) => (text === to ? [text] : [])));
  return all.filter(({ text, to }) => text === to || !current.has(text));
}

/** A field that holds owners: the owner field of its resource, or one that policies compare with `$caller.owner`. */
export interface OwnerField {
  readonly resource: Resource;
  readonly field: Field;
}

/** Lists the fields of a model that hold owners. */
export function listOwnerFields({ resources }: Pick<Model, 'resources'>): readonly OwnerField[] {
  const compared = [...resources.values()].flatMap(comparedOwners);
  return [...resources.values()].flatMap((resource) => {
    const names = compared.flatMap(({ resource: name, path }) => (name === resource.name ? [path] : []));
    return [...new Set([...(resource.owner === null ? [] : [resource.owner]), ...names])].flatMap((name) => {
      const field = resource.field.get(name);
      return field?.type.kind === 'text' ? [{ resource, field }] : [];
    });
  });
}

/** Finds the table and the column of a field, by their present names; null if the database has none. */
export function findStored(
  { resource, field }: OwnerField,
  tables: readonly CurrentTable[],
): { readonly table: string; readonly column: string } | null {
  const isTable = ({ kind, name }: CurrentTable): boolean =>
    kind === 'rows' && (name === resource.name || name === resource.was);
  const table = tables.find(isTable);
  const column = table?.columns.find(({ name }) => name === field.name || name === field.was);
  return table === undefined || column === undefined ? null : { table: table.name, column: column.name };
}

function listColumns(model: Model, { tables, dialect }: ConvertedDatabase): readonly OwnerColumn[] {
  return listOwnerFields(model).flatMap((owners): readonly OwnerColumn[] => {
    const stored = findStored(owners, tables);
    if (stored === null) return [];
    const { resource, field } = owners;
    const { expression } = dialect.member(dialect.quote('creator'), ['issuer'], { kind: 'text', format: null });
    const issuer = resource.name === model.webhooks?.resources.webhooks ? expression : null;
    return [{ ...stored, name: `${resource.name}.${field.name}`, isOwner: field.name === resource.owner, issuer }];
  });
}

function comparedOwners({ rows }: Resource): readonly { readonly resource: string; readonly path: string }[] {
  const policies = Object.values(rows).flatMap((rules) =>
    rules.flatMap((rule): readonly Policy[] => (rule.kind === 'policy' ? [rule.policy] : [])),
  );
  return policies.flatMap(comparisons).filter(({ value }) => isOwnerOfCaller(value));
}

function isOwnerOfCaller(value: PolicyValue): boolean {
  return value.kind === 'list'
    ? value.values.some(isOwnerOfCaller)
    : value.kind === 'caller' && value.member === 'owner';
}

function convertColumn(
  owners: OwnerColumn,
  prefixes: readonly OwnerPrefix[],
  { rows, dialect, lock }: ConvertedDatabase,
): readonly SchemaStep[] {
  const { table, column, name, isOwner } = owners;
  const quoted = dialect.quote(column);
  const { either, changed } = conditions(owners, quoted, prefixes);
  const cases = [
    ...either.map((condition) => `when ${condition} then ${quoteText(NO_ONE)} || ${quoted}`),
    ...changed.map(({ condition, result }) => `when ${condition} then ${result}`),
  ];
  const affected = [...either, ...changed.map(({ condition }) => condition)].join(' or ');
  const count = affected === '' ? 0 : rows.matching(table, affected).rows;
  const losses = [
    ...describeLoss(name, either.length === 0 ? null : rows.matching(table, either.join(' or ')), EITHER),
    ...describeLoss(name, isOwner ? rows.matching(table, ofNoIssuer(quoted, prefixes)) : null, UNKNOWN),
  ];
  if (count === 0 && losses.length === 0) return [];
  const cost: StepCost = { kind: 'rewrites', rows: count };
  const update = `update ${dialect.quote(table)} set ${quoted} = case ${cases.join(' ')} else ${quoted} end where ${affected}`;
  return [
    {
      purpose: `name the owners of ${name} by issuers without a colon`,
      statements: count === 0 ? [] : [update],
      cost: count === 0 ? { kind: 'constant', rows: 0 } : cost,
      lock: count === 0 ? null : lock(table, cost),
      losses,
      broken: [],
    },
  ];
}

interface OwnerConditions {
  /** Hold for the owners that may be of two callers. */
  readonly either: readonly string[];
  /** Hold for those that are of one caller, whose name is another one now. */
  readonly changed: readonly { readonly condition: string; readonly result: string }[];
}

/** An owner with several prefixes begins with the longest of them, which has the others as its own prefixes. */
function conditions({ issuer }: OwnerColumn, quoted: string, prefixes: readonly OwnerPrefix[]): OwnerConditions {
  const own = (prefix: OwnerPrefix): string =>
    issuer === null ? '' : ` and ${issuer} = ${quoteText(prefix.text.slice(0, -NAME_END.length))}`;
  const isAmbiguous = (prefix: OwnerPrefix): boolean =>
    issuer === null && prefixes.some(({ text, to }) => prefix.text.startsWith(text) && to !== prefix.to);
  return {
    either: [...new Set(prefixes.filter(isAmbiguous).map((prefix) => startsWith(quoted, prefix)))],
    changed: prefixes
      .filter((prefix) => prefix.text !== prefix.to && !isAmbiguous(prefix))
      .map((prefix) => ({
        condition: startsWith(quoted, prefix) + own(prefix),
        result: `${quoteText(prefix.to)} || substr(${quoted}, ${length(prefix.text) + 1})`,
      })),
  };
}

function ofNoIssuer(quoted: string, prefixes: readonly OwnerPrefix[]): string {
  const known = prefixes.map((prefix) => startsWith(quoted, prefix)).join(' or ');
  const isName = `${quoted} <> replace(${quoted}, ${quoteText(NAME_END)}, '')`;
  return `${isName} and not (${known} or ${startsWith(quoted, { text: NO_ONE })})`;
}

function startsWith(quoted: string, { text }: Pick<OwnerPrefix, 'text'>): string {
  return `substr(${quoted}, 1, ${length(text)}) = ${quoteText(text)}`;
}

/** Counts characters as SQL does. */
function length(text: string): number {
  return Array.from(text).length;
}

const EITHER =
  'may be of callers of two issuers, since one name begins with the other: write {issuer name}:{sub} into them, with the name that the model has now; with consent no caller owns them, and their owners begin with a colon';
const UNKNOWN =
  'name no issuer of the model: declare it with that name, with ~ for each colon, or with consent no caller owns them';

function describeLoss(name: string, found: FoundRows | null, why: string): readonly string[] {
  if (found === null || found.rows === 0) return [];
  const { rows, ids } = found;
  const listed = (rows > ids.length ? [...ids, '...'] : ids).join(', ');
  return [`${name}: the owners of ${rows === 1 ? '1 row' : `${rows} rows`} (${listed}) ${why}`];
}
