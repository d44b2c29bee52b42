import type { Contract } from '../contract/contract.ts';
import { joinPath } from '../conventions/url/links.ts';
import { ORIGIN_NAMES } from '../conventions/url/origin-names.ts';
import { writeQuery } from '../conventions/url/query.ts';
import { pathNextToBase } from '../conventions/url/url.ts';

/** The part of a contract that the URLs of its descriptions depend on. */
type DescribedVersion = Pick<Contract, 'model' | 'mapping' | 'version'>;

/** Writes the URL of a description of a contract (REP-10, RFC 8631). */
export function writeDescriptionUrl(contract: DescribedVersion, kind: 'openapi' | 'asyncapi' | 'llms'): string {
  return withVersion(joinPath(contract.model.publicUrl ?? '', ORIGIN_NAMES[kind]), contract);
}

/** Writes the URL of the documentation of a contract, next to the base path, also in a mount. */
export function writeDocsUrl(contract: DescribedVersion): string {
  const { publicUrl, basePath } = contract.model;
  return withVersion((publicUrl ?? '') + pathNextToBase(basePath, ORIGIN_NAMES.docs), contract);
}

/** Descriptions without a version are those of the newest one. */
function withVersion(path: string, { mapping, version }: DescribedVersion): string {
  return mapping === null ? path : `${path}?${writeQuery([['api_version', version]])}`;
}
