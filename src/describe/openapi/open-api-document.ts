import type { JsonObject } from '../../conventions/json/json.ts';
import { readObject } from '../../model/values/access.ts';
import { linkName } from '../../model/link-name.ts';
import { finishSteps, type Steps } from '../../platform/time-slices.ts';
import { API_TAG, apiPaths, originPaths, pathParameter } from './api-paths.ts';
import { collectionPath } from './collection-paths.ts';
import { compactPaths } from './compact-paths.ts';
import { Components } from '../components.ts';
import type { DescribedContract, OpenApiEdition, OpenApiProfile } from '../described-contract.ts';
import { type ResourceSurface, surfaceSteps } from '../surface/surface.ts';
import { type Description, isShort } from './described-resource.ts';
import { commonRequestFields } from './header-fields.ts';
import { eventPaths } from './event-paths.ts';
import { itemPath } from './item-paths.ts';
import { apiText, resourceText } from './prose.ts';
import { SECURITY_SCHEME, securityScheme } from './security.ts';
import { describeWebhooks } from './webhook-operations.ts';

const SPECIFICATIONS: Readonly<Record<OpenApiEdition, string>> = { '3.1': '3.1.1', '3.2': '3.2.0' };

/**
 * The description of a contract (OPS-1): every path, method, parameter, header field and status. It follows from the
 * model alone, and so does the order of its members: two of them can be compared line by line.
 */
export function openApiDocument(
  contract: DescribedContract,
  edition: OpenApiEdition,
  profile: OpenApiProfile = 'full',
): JsonObject {
  return finishSteps(openApiSteps(contract, edition, profile));
}

/** Makes the same document in steps, one for each resource. */
export function* openApiSteps(
  contract: DescribedContract,
  edition: OpenApiEdition,
  profile: OpenApiProfile = 'full',
): Steps<JsonObject> {
  const { model } = contract;
  const components = new Components();
  const surface = yield* surfaceSteps(contract);
  const resources = [...surface.resources.values()];
  const description: Description = { contract, surface, edition, profile, components };
  if (model.auth !== null) components.ref('securitySchemes', SECURITY_SCHEME, () => securityScheme(model));
  const paths = {
    ...apiPaths(description),
    ...eventPaths(description),
    ...Object.fromEntries(yield* allResourcePaths(resources, description)),
  };
  const common = isShort(description) ? [] : commonRequestFields(description);
  const below = Object.fromEntries(
    Object.entries(paths)
      .map(([path, value]) => [path, readObject(value)] as const)
      .map(([path, item]) => [path, withParameters(item, common)]),
  );
  const origin = originPaths(description);
  const webhooks = profile === 'generators' ? null : describeWebhooks(resources, description);
  return {
    openapi: SPECIFICATIONS[edition],
    info: { title: model.title, version: contract.version, description: apiText(contract, profile) },
    servers: [{ url: model.publicUrl ?? '/', description: 'The origin of the API.' }],
    tags: [
      { name: API_TAG, description: 'The API as a whole: its collections, batches, events, health and descriptions.' },
      ...resources.map(({ resource }) => ({
        name: linkName(resource),
        ...(contract.isCompact ? {} : { description: resourceText(resource, model) }),
      })),
    ],
    paths: { ...below, ...origin },
    ...(webhooks === null ? {} : { webhooks }),
    components: components.toJson(),
  };
}

type PathItem = readonly [path: string, item: JsonObject];

function* allResourcePaths(resources: readonly ResourceSurface[], to: Description): Steps<readonly PathItem[]> {
  const paths: PathItem[] = [];
  for (const described of resources) {
    paths.push(...resourcePaths(described, to));
    yield;
  }
  return paths;
}

function resourcePaths(described: ResourceSurface, to: Description): readonly PathItem[] {
  const { collection, item } = described;
  const parameters = described.pathParameters.map((name) => pathParameter(name, to));
  if (isShort(to)) return compactPaths(described, to);
  return [
    [collection.path, { parameters, ...collectionPath(described, to) }],
    [item.path, { parameters: [...parameters, pathParameter('id', to)], ...itemPath(described, to) }],
  ];
}

function withParameters(item: JsonObject, common: readonly JsonObject[]): JsonObject {
  const parameters = [...listParameters(item), ...common];
  return parameters.length === 0 ? item : { ...item, parameters };
}

function listParameters(item: JsonObject): readonly JsonObject[] {
  const { parameters } = item;
  return Array.isArray(parameters) ? parameters : [];
}
