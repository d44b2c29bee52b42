import { versionText } from '../conventions/versioning.ts';
import type { ContractVersion, Model } from '../model/model.ts';
import { contractMappings, withStoredProperties } from '../versions/contract-mapping.ts';

/** A served version of an API, as descriptions need it. */
export interface DescribedContract {
  /** The model as clients of this version know it. */
  readonly model: Model;
  /** `1.4.2`. */
  readonly version: string;
  /** Both in seconds since 1970; null where there is none. */
  readonly deprecated: number | null;
  readonly sunset: number | null;
  /** The URL of the page about its deprecation; null where there is none. */
  readonly deprecationPage: string | null;
  readonly isNewest: boolean;
  /** Every version that is served, the newest first. */
  readonly served: readonly ContractVersion[];
  /** True if any version is no longer served. */
  readonly retires: boolean;
  /** True if its OpenAPI document leaves out what is the same for all resources: in full it would be too large. */
  readonly isCompact: boolean;
}

/** The most fields to filter by, of all resources, that a full document lists with each operator: about 6 MB of it. */
const MOST_FILTERED = 1_000;

function isLarge({ resources }: Model): boolean {
  const filtered = [...resources.values()].map(
    ({ properties }) => [...properties.values()].filter(({ filterable }) => filterable).length,
  );
  return filtered.reduce((sum, count) => sum + count, 0) > MOST_FILTERED;
}

/** The editions of OpenAPI that descriptions are written in, the default first. */
export const OPEN_API_EDITIONS = ['3.1', '3.2'] as const;

export type OpenApiEdition = (typeof OPEN_API_EDITIONS)[number];

/** The extents of OpenAPI documents, the default first: all of the API, or what generators of clients can use. */
export const OPEN_API_PROFILES = ['full', 'generators'] as const;

export type OpenApiProfile = (typeof OPEN_API_PROFILES)[number];

/** Every contract that a model serves, the newest first. */
export function describedContracts(model: Model): readonly DescribedContract[] {
  const mappings = contractMappings(model);
  const retires = model.versions.some(({ retired }) => retired);
  const served = [model.version, ...model.versions.filter((each) => !each.retired).map(({ version }) => version)];
  const newest: DescribedContract = {
    model,
    version: versionText(model.version),
    deprecated: null,
    sunset: null,
    deprecationPage: null,
    isNewest: true,
    served,
    retires,
    isCompact: isLarge(model),
  };
  const older = model.versions.flatMap((each, index): readonly DescribedContract[] => {
    const mapping = mappings[index];
    if (each.retired || mapping === undefined) return [];
    const { version, deprecated, sunset, deprecationPage } = each;
    const own = withStoredProperties(each, mapping, model);
    return [
      {
        model: own,
        version: versionText(version),
        deprecated,
        sunset,
        deprecationPage,
        isNewest: false,
        served,
        retires,
        isCompact: isLarge(own),
      },
    ];
  });
  return [newest, ...older];
}
