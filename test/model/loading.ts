import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type ModelProblem, ModelError } from '../../src/model/document/model-error.ts';
import { loadModel, type LoadedModel } from '../../src/model/compile/load-model.ts';
import type { Model, Resource } from '../../src/model/model.ts';

/** Loads a document as `model.yaml`, or under the name given. */
export function load(text: string, options: { file?: string; env?: Record<string, string> } = {}): LoadedModel {
  return loadModel({ file: options.file ?? 'model.yaml', text, env: options.env ?? {} });
}

/** The problems of a document; empty if it is valid. */
export function listProblems(
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

/** A document with one resource `items`, with these properties and settings. */
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

/** A resource of a model. @throws {TypeError} if there is none */
export function resource(model: Model, name: string): Resource {
  const found = model.resources.get(name);
  if (found === undefined) throw new TypeError(`no resource ${name}`);
  return found;
}

/** A document with exactly one problem: its position and message. */
export interface InvalidDocument {
  /** The claim, with its clause where there is one. */
  readonly title: string;
  readonly text: string;
  readonly path: string;
  readonly line: number;
  readonly cause: RegExp;
  readonly fix: RegExp;
}

/** Defines one test for each document: it has this problem and no other. */
export function rejectsEach(rows: readonly InvalidDocument[]): void {
  for (const { title, text, path, line, cause, fix } of rows) {
    it(title, () => {
      const problems = listProblems(text);
      assert.deepEqual(
        problems.map((problem) => `${problem.line} ${problem.path}`),
        [`${line} ${path}`],
        problems.map(({ cause: found }) => found).join('\n'),
      );
      assert.match(problems[0]?.cause ?? '', cause);
      assert.match(problems[0]?.fix ?? '', fix);
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
