import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { packagePath } from '../../platform/process/package-path.ts';

/** The JSON Schema of models, a file of this package. */
const SCHEMA = 'schema/model.schema.json';

/**
 * Finds the JSON Schema of models for editors, from the folder of a model. It is a relative path, which is valid on
 * other machines, if the project of the folder depends on the package; else the absolute one.
 *
 * @param folder of the model
 * @param schema path of the schema
 */
export function schemaLocation(folder: string, schema: string = packagePath(SCHEMA)): string {
  const from = path.resolve(folder);
  const dependencies = path.dirname(path.dirname(path.dirname(schema)));
  const project = path.dirname(dependencies);
  const isDependency =
    path.basename(dependencies) === 'node_modules' && (from === project || from.startsWith(project + path.sep));
  const location = isDependency ? path.relative(from, schema).replaceAll(path.sep, '/') : schema;
  const relative = isDependency && !location.startsWith('.') ? `./${location}` : location;
  // An editor reads the location up to white space.
  return /\s/.test(relative) ? pathToFileURL(schema).href : relative;
}
