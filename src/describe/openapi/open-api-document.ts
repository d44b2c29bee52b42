import type { JsonObject } from '../../conventions/json/json.ts';
import { readObject } from '../../model/values/access.ts';
import { linkName } from '../../model/link-name.ts';
import { API_TAG, apiPaths, originPaths, pathParameter } from './api-paths.ts';
import { collectionPath } from './collection-paths.ts';
import { Components } from '../components.ts';
import type { DescribedContract, OpenApiEdition } from '../described-contract.ts';
import { describeSurface, type ResourceSurface } from '../surface/surface.ts';
import type { Description } from './described-resource.ts';
import { commonRequestFields } from './header-fields.ts';
import { eventPaths } from './event-paths.ts';
import { itemPath } from './item-paths.ts';
import { apiText, resourceText } from './prose.ts';
import { SECURITY_SCHEME, securityScheme } from './security.ts';

const SPECIFICATIONS: Readonly<Record<OpenApiEdition, string>> = { '3.1': '3.1.1', '3.2': '3.2.0' };

/**
 * The description of a contract (OPS-1): every path, method, parameter, header field and status. It follows from the
 * model alone, and so does the order of its members: two of them can be compared line by line.
 */
export function openApiDocument(contract: DescribedContract, edition: OpenApiEdition): JsonObject {
  const { model } = contract;
  const components = new Components();
  const surface = describeSurface(contract);
  const resources = [...surface.resources.values()];
  const description: Description = { contract, surface, edition, components };
  if (model.auth !== null) components.ref('securitySchemes', SECURITY_SCHEME, () => securityScheme(model));
  const paths = {
    ...apiPaths(description),
    ...eventPaths(description),
    ...Object.fromEntries(resources.flatMap((described) => resourcePaths(described, description))),
  };
  const common = commonRequestFields(description);
  const below = Object.fromEntries(
    Object.entries(paths)
      .map(([path, value]) => [path, readObject(value)] as const)
      .map(([path, item]) => [path, { ...item, parameters: [...listParameters(item), ...common] }]),
  );
  return {
    openapi: SPECIFICATIONS[edition],
    info: { title: model.title, version: contract.version, description: apiText(contract) },
    servers: [{ url: model.publicUrl ?? '/', description: 'The origin of the API.' }],
    tags: [
      { name: API_TAG, description: 'The API as a whole: its collections, batches, events, health and descriptions.' },
      ...resources.map(({ resource }) => ({ name: linkName(resource), description: resourceText(resource, model) })),
    ],
    paths: { ...below, ...originPaths(description) },
    components: components.toJson(),
  };
}

type PathItem = readonly [path: string, item: JsonObject];

function resourcePaths(described: ResourceSurface, to: Description): readonly PathItem[] {
  const { collection, item } = described;
  const parameters = described.pathParameters.map((name) => pathParameter(name, to));
  return [
    [collection.path, { parameters, ...collectionPath(described, to) }],
    [item.path, { parameters: [...parameters, pathParameter('id', to)], ...itemPath(described, to) }],
  ];
}

function listParameters(item: JsonObject): readonly JsonObject[] {
  const { parameters } = item;
  return Array.isArray(parameters) ? parameters : [];
}
