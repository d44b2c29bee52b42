import { versionText } from '../../../conventions/versioning.ts';
import type { ContractVersion, Model, OlderVersion, Resource } from '../../../model/model.ts';
import { contractTable } from '../../../versions/row-conversion.ts';
import { type ModelProfile, profileModel, type ResourceProfile, storedForm } from '../schema/model-profile.ts';

/** The records of a database about the model that it was migrated to last. */
export interface RecordedContract {
  /** The version of that model; null for a database of an earlier version of Restwright. */
  readonly version: string | null;
  /** Its profile; null where none is recorded. */
  readonly profile: ModelProfile | null;
}

/**
 * Finds the contract whose rows a database holds. A database that records no version holds those of the newest contract
 * that they fit.
 *
 * @returns null for the newest contract, and for one that the model does not list
 */
export function findStoredContract(model: Model, { version, profile }: RecordedContract): OlderVersion | null {
  if (version !== null) return findOlderContract(model, version);
  const listed = convertedVersions(model);
  if (profile === null) return null;
  const newest = profileModel(model).resources;
  if (fitsExactly(profile, [...model.resources.values()], newest)) return null;
  return (
    listed.find(({ model: older }) =>
      fitsExactly(profile, [...older.resources.values()], profileModel(older).resources),
    ) ?? null
  );
}

/** Finds the older contract that a version is, or is a part of; null for a version that the model does not convert. */
export function findOlderContract(model: Model, version: string): OlderVersion | null {
  return findListed(convertedVersions(model), version, model.version);
}

/** The older contracts with their changes. */
function convertedVersions({ versions }: Model): readonly OlderVersion[] {
  return versions.filter(({ retired, changes }) => !retired || changes.length > 0);
}

/**
 * Advises on a database whose rows are of a version that the model does not convert; null for one that it does.
 *
 * @param version that the database records
 */
export function adviseOnVersion(model: Model, version: string | null): string | null {
  if (version === null) return null;
  const [stored, own] = [parseVersion(version), versionText(model.version)];
  const order = compareVersions(stored, model.version);
  const holds = `The database holds rows of version ${version} of the model`;
  if (order > 0) return `${holds}, which is newer than ${own}: serve that model, or migrate with it.`;
  if (stored.major === model.version.major || findListed(model.versions, version, model.version) !== null) return null;
  return `${holds}. List it in versions, with its changes: then its rows are converted to ${own}.`;
}

/** A minor version that is not listed is part of the next one of its major, which adds to it (VER-5). */
function findListed(listed: readonly OlderVersion[], recorded: string, newest: ContractVersion): OlderVersion | null {
  const stored = parseVersion(recorded);
  if (compareVersions(stored, newest) >= 0) return null;
  const later = listed.filter(({ version }) => version.major === stored.major && compareVersions(version, stored) >= 0);
  return later.at(-1) ?? null;
}

export function parseVersion(text: string): ContractVersion {
  const [major = 0, minor = 0, patch = 0] = text.split('.').map(Number);
  return { major, minor, patch };
}

/** The patch never selects a contract. */
function compareVersions(one: ContractVersion, other: ContractVersion): number {
  return one.major - other.major || one.minor - other.minor;
}

/** Checks if a database has exactly the fields of a contract, in the form in which that stores them. */
function fitsExactly(
  { resources: recorded }: ModelProfile,
  resources: readonly Resource[],
  profiles: ModelProfile['resources'],
): boolean {
  return resources.every((resource) => {
    const [known, wanted] = [recorded[contractTable(resource)], profiles[resource.name]];
    return known !== undefined && wanted !== undefined && describeFields(known) === describeFields(wanted);
  });
}

function describeFields({ fields }: ResourceProfile): string {
  return JSON.stringify(
    Object.entries(fields)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, { type, values }]) => [name, storedForm(type), values]),
  );
}
