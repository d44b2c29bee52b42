import { versionText } from '../../../conventions/versioning.ts';
import type { Model, OlderVersion, Resource, Shape } from '../../../model/model.ts';
import { findFormerContract, type FormerContract, type FormerSearch } from '../../../versions/former-contract.ts';
import type { FormerResource } from '../../../versions/former-fields.ts';
import { listRowChanges, type StoredRowChange } from '../../../versions/row-changes.ts';
import type { StoredDifference } from '../../../versions/row-conversion.ts';
import { splitPath } from '../../../versions/renamed-paths.ts';
import { earlierResource } from '../schema/earlier-names.ts';
import type { ModelProfile, ResourceProfile } from '../schema/model-profile.ts';
import { UnusableDatabase } from '../schema/schema-errors.ts';
import { findStoredContract, parseVersion, type RecordedContract } from './stored-contract.ts';

/** The contract whose rows a database holds, where they differ from those of the newest one. */
export interface RowForm {
  readonly version: OlderVersion;
  /** The model before, which has other names (`was`, `x-was`); null for a contract that the model lists. */
  readonly former: FormerContract | null;
  /** Describes the changes of stored rows. */
  readonly changes: (difference: StoredDifference) => readonly StoredRowChange[];
}

/**
 * Finds the contract whose rows a database holds. It is an older one that the model lists, or the model before, which
 * has other names.
 *
 * @returns null for rows of the newest contract, and of one that the model does not list
 * @throws {UnusableDatabase} where former names contradict what the database holds
 */
export function findRowForm(model: Model, recorded: RecordedContract): RowForm | null {
  const { profile } = recorded;
  const version = findStoredContract(model, recorded);
  const stored = recorded.version === null ? model.version : parseVersion(recorded.version);
  const { contract, problems } =
    profile === null ? NOTHING : findFormerContract(model, stored, (resource) => formerResource(resource, profile));
  if (version !== null) {
    if (contract !== null) requireListed(contract.changes, version);
    return {
      version,
      former: null,
      changes: ({ conversions }) => listRowChanges(model, version, conversions),
    };
  }
  if (problems.length > 0)
    throw new UnusableDatabase(`${problems.map(({ resource, problem }) => `${resource}.${problem}`).join('. ')}.`);
  if (contract === null) return null;
  return { version: contract.version, former: contract, changes: () => contract.changes };
}

const NOTHING: FormerSearch = { contract: null, problems: [], dropped: new Map() };

/** The resource in a recorded model; null for a new one. */
export function formerResource(resource: Resource, before: ModelProfile): FormerResource | null {
  const known = earlierResource(before, resource);
  if (known === null) return null;
  const table = before.resources[resource.name] === undefined ? (resource.was ?? resource.name) : resource.name;
  return { table, singular: known.singular, fields: profileFields(known) };
}

/** The fields of a recorded model. */
export function profileFields({ fields }: ResourceProfile): FormerResource['fields'] {
  return Object.entries(fields).map(([name, { type, required, default: value }]) => ({
    name,
    type,
    required,
    nullable: !required && type.kind !== 'array',
    ...(value === null ? {} : { default: value }),
  }));
}

/**
 * Rows of a version that the model lists are converted by its changes alone.
 *
 * @throws {UnusableDatabase} where they lack a former name that the rows have
 */
function requireListed(renamed: readonly StoredRowChange[], { version, model }: OlderVersion): void {
  const missing = renamed.filter(({ resource, from: [from = ''] }) => {
    const [name = '', ...rest] = splitPath(from);
    return !hasPath(model.resources.get(resource)?.field.get(name) ?? null, rest);
  });
  if (missing.length === 0) return;
  const text = versionText(version);
  const holds = `It holds rows of version ${text}, which versions lists without the names of x-was.`;
  const marked = missing.filter(({ to: [to = ''] }) => /\[\]|\*/.test(to));
  const listed = missing.map(
    ({ resource, change, from: [from], to: [to] }) => `{ resource: ${resource}, ${change}: { ${from}: ${to} } }`,
  );
  throw new UnusableDatabase(
    marked.length === 0
      ? `${holds} Add to its changes: ${listed.join(', ')}.`
      : `${holds} Its changes cannot name ${marked.map(({ what }) => what).join(', ')}: migrate it to a model of version ${text} with x-was first.`,
  );
}

function hasPath(shape: Shape | null, [step, ...rest]: readonly string[]): boolean {
  const type = shape?.type;
  if (step === undefined || type === undefined) return type !== undefined;
  if (step === '[]') return type.kind === 'array' && hasPath(type.item, rest);
  if (step === '*') return type.kind === 'map' && hasPath(type.value, rest);
  return type.kind === 'object' && hasPath(type.members.find(({ name }) => name === step) ?? null, rest);
}
