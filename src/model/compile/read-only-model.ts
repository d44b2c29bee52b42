import { ModelError } from '../document/model-error.ts';
import type { Model, Resource } from '../model.ts';
import { listOwnResources } from '../table-source.ts';
import { formatPath } from '../path.ts';
import { deepFreeze } from '../values/deep-freeze.ts';
import { byCollection } from './resources/compile-resources.ts';

/**
 * Makes a model of tables that exist read-only. Nothing is then written to their database, also not next to them.
 * `startApi` does it with the option `readOnly`.
 *
 * @throws {ModelError} where the server stores rows of the model
 *
 * @example
 * ```ts
 * const store = await openSqlite({ path: './shop.sqlite', model: readOnlyModel(model) });
 * ```
 */
export function readOnlyModel(model: Model): Model {
  const problems = listOwnResources(model).map(({ name }) => ({
    file: 'model',
    line: 0,
    column: 0,
    path: formatPath(['resources', name]),
    cause: 'its rows are stored by the server, which writes nothing with readOnly',
    fix: 'omit readOnly, or name the table of the resource',
  }));
  if (problems.length > 0) throw new ModelError(problems);
  return deepFreeze(readOnlyContract(model));
}

/** Makes the resources read-only, in older versions, too. */
function readOnlyContract(model: Model): Model {
  const resources = new Map([...model.resources].map(([name, each]) => [name, readOnlyResource(each)]));
  const versions = model.versions.map((version) => ({ ...version, model: readOnlyContract(version.model) }));
  return { ...model, resources, collections: byCollection(resources), versions };
}

/** Removes events and tombstones with the writes that make them. */
function readOnlyResource(resource: Resource): Resource {
  const table = resource.table === null ? null : { ...resource.table, changes: 'none' as const };
  return { ...resource, table, readOnly: true, events: 'none', tombstones: null };
}
