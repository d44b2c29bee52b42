import type { JsonObject } from '../../conventions/json/json.ts';
import type { Resource } from '../../model/model.ts';
import { type SchemaSuffix, toTypeName } from '../../model/type-names.ts';
import type { Components } from '../components.ts';
import type { DescribedContract, OpenApiEdition, OpenApiProfile } from '../described-contract.ts';
import type { Surface } from '../surface/surface.ts';

/** The context of the parts of one description. */
export interface Description {
  readonly contract: DescribedContract;
  readonly surface: Surface;
  readonly edition: OpenApiEdition;
  readonly profile: OpenApiProfile;
  readonly components: Components;
}

/** True if each operation has its short form: JSON alone, and one response for all errors. */
export function isShort({ contract, profile }: Description): boolean {
  return contract.isCompact || profile === 'generators';
}

/** Makes the operations that a description for generators leaves out. */
export function unlessGenerated({ profile }: Description, make: () => JsonObject): JsonObject {
  return profile === 'generators' ? {} : make();
}

/** The name of a schema of a resource: `ProductCreate`. */
export function schemaName({ singular }: Resource, suffix: SchemaSuffix): string {
  return toTypeName(singular) + suffix;
}

/** The name of another component of a resource: `Product.pageResponse`. No resource has a dot in its name. */
export function partName({ singular }: Resource, part: string): string {
  return `${toTypeName(singular)}.${part}`;
}

/** The schema of an id. A client knows only that it is a string, also of UUIDs (REP-2). */
export const ID_SCHEMA = { type: 'string', minLength: 1, maxLength: 255 } as const;
