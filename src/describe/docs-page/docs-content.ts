import { linkName } from '../../model/link-name.ts';
import type { AccessRule, Resource } from '../../model/model.ts';
import type { DescribedContract } from '../described-contract.ts';

/** The content of the documentation of one contract. */
export interface DocsContent {
  readonly contract: DescribedContract;
  /** Every served contract, the newest first, for the links between them. */
  readonly contracts: readonly DescribedContract[];
}

/** The fragment that names the section of a resource. */
export function sectionId(resource: Resource): string {
  return `r-${linkName(resource)}`;
}

/** Writes the callers that a rule admits. */
export function accessWords(rule: AccessRule): string {
  switch (rule.kind) {
    case 'public':
      return 'public';
    case 'authenticated':
      return 'every caller with a token';
    case 'scope':
      return rule.scope;
  }
}

/**
 * The header fields by which a request below the major version gets this contract, each with a line break. There are
 * none for the newest minor version, which the path alone names (VER-2).
 */
export function versionFields({ contract, contracts }: DocsContent): string {
  const newest = contracts.find(({ model }) => model.version.major === contract.model.version.major);
  return newest === contract ? '' : `API-Version: ${contract.version}\n`;
}
