import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type ModelProblem, ModelError } from '../../src/model/document/model-error.ts';
import { loadModel, type LoadedModel } from '../../src/model/load-model.ts';
import type { Model, Resource } from '../../src/model/model.ts';

/** Loads a document as `model.yaml`, or under the name given. */
export function load(text: string, options: { file?: string; env?: Record<string, string> } = {}): LoadedModel {
  return loadModel({ file: options.file ?? 'model.yaml', text, env: options.env ?? {} });
}

/** The faults of a document; none where it loads. */
export function problemsOf(
  text: string,
  options: { file?: string; env?: Record<string, string> } = {},
): readonly ModelProblem[] {
  try {
    load(text, options);
    return [];
  } catch (error) {
    if (error instanceof ModelError) return error.problems;
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

/** A document with exactly one fault: where it is and what it says. */
export interface InvalidDocument {
  /** The claim, with its clause where there is one. */
  readonly title: string;
  readonly text: string;
  readonly path: string;
  readonly line: number;
  readonly cause: RegExp;
  readonly fix: RegExp;
}

/** One test for each document: it has this fault and no other. */
export function rejectsEach(rows: readonly InvalidDocument[]): void {
  for (const { title, text, path, line, cause, fix } of rows) {
    it(title, () => {
      const faults = problemsOf(text);
      assert.deepEqual(
        faults.map((fault) => `${fault.line} ${fault.path}`),
        [`${line} ${path}`],
        faults.map(({ cause: found }) => found).join('\n'),
      );
      assert.match(faults[0]?.cause ?? '', cause);
      assert.match(faults[0]?.fix ?? '', fix);
    });
  }
}

/** The same for properties of one resource: the path is below its properties, and the line is that of the schema. */
export function rejectsProperties(
  rows: readonly (readonly [title: string, properties: string, path: string, cause: RegExp, fix: RegExp])[],
): void {
  rejectsEach(
    rows.map(([title, properties, path, cause, fix]) => ({
      title,
      text: itemsDocument(properties),
      path: `resources.items.schema.properties.${path}`,
      line: 4,
      cause,
      fix,
    })),
  );
}
