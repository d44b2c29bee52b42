import { parseVersion, versionsAgree } from '../../conventions/versioning.ts';
import type { ContractVersion, Model, OlderVersion } from '../../model/model.ts';
import { contractMappings, withStoredProperties } from '../../versions/contract-mapping.ts';
import type { TypedContract } from './client-types.ts';

/**
 * The contract of a version.
 *
 * @param requested MAJOR, MAJOR.MINOR or MAJOR.MINOR.PATCH; null for the newest contract
 * @returns null where the model serves no such version
 */
export function typedContract(model: Model, requested: string | null): TypedContract | null {
  const served = servedVersions(model);
  const version = requested === null ? model.version : namedVersion(served, requested);
  if (version === undefined) return null;
  const found = model.versions.find((each) => each.version === version);
  // The major alone names the first of several minors, newest first.
  const isLatest = served.find(({ major }) => major === version.major) === version;
  return {
    model: found === undefined ? model : servedModel(found, model),
    version: isLatest ? `${version.major}` : `${version.major}.${version.minor}`,
    isDefault: isLatest && version.major === model.defaultVersion,
  };
}

/** The versions that a model serves, newest first. */
export function servedVersions({ version, versions }: Model): readonly ContractVersion[] {
  return [version, ...versions.filter(({ retired }) => !retired).map((each) => each.version)];
}

/** The newest version that a number names: the patch never selects (VER-2). */
function namedVersion(served: readonly ContractVersion[], requested: string): ContractVersion | undefined {
  const parsed = parseVersion(requested);
  return parsed === null ? undefined : served.find((each) => versionsAgree(each, { ...parsed, patch: null }));
}

/** The model of an older contract, whose filters and sorts are those that the server knows. */
function servedModel(older: OlderVersion, newest: Model): Model {
  const mapping = contractMappings(newest)[newest.versions.indexOf(older)];
  return mapping === undefined ? older.model : withStoredProperties(older, mapping, newest);
}
