import { ApiError } from '../../conventions/errors.ts';
import { resolveVersion } from '../../conventions/versioning.ts';
import type { Contract, Contracts } from '../../contract/contract.ts';

/** Finds the contract of a version, as requests name it (VER-2); null if it is not served. */
export function findContract(version: string, contracts: Contracts): Contract | null {
  const { current, versions } = contracts;
  try {
    const carriers = { path: null, query: version, header: null, accept: [] };
    return contracts.of(resolveVersion(carriers, versions, current.model.defaultVersion).version);
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}
