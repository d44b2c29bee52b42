import { hash } from 'node:crypto';
import { type Fault, ModelError } from '../../src/model/fault.ts';
import { loadModel, type LoadedModel } from '../../src/model/load.ts';
import type { Model, Resource } from '../../src/model/model.ts';

const digest = (text: string): string => hash('sha256', text, 'base64url');

/** Loads a document as `model.yaml`, or under the name given. */
export function load(text: string, options: { file?: string; env?: Record<string, string> } = {}): LoadedModel {
  return loadModel({ file: options.file ?? 'model.yaml', text, env: options.env ?? {}, digest });
}

/** The faults of a document; none where it loads. */
export function faultsOf(
  text: string,
  options: { file?: string; env?: Record<string, string> } = {},
): readonly Fault[] {
  try {
    load(text, options);
    return [];
  } catch (error) {
    if (error instanceof ModelError) return error.faults;
    throw error;
  }
}

/** A document with one resource `items`, whose schema holds these properties and that says this besides. */
export function itemsDocument(properties: string, rest = '', required = ''): string {
  return [
    'name: shop',
    'resources:',
    '  items:',
    `    schema: { type: object, required: [${required}], properties: { ${properties} } }`,
    ...rest.split('\n').map((line) => `    ${line}`),
    '',
  ].join('\n');
}

/** A resource of a model, which is there. */
export function resource(model: Model, name: string): Resource {
  const found = model.resources.get(name);
  if (found === undefined) throw new TypeError(`no resource ${name}`);
  return found;
}
