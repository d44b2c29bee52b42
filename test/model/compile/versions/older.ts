import assert from 'node:assert/strict';
import type { Model, OlderVersion, Resource } from '../../../../src/model/model.ts';
import { load } from '../../loading.ts';

/** The changes of a version. */
export type Comparable = Omit<Resource, 'declares' | 'hooks'>;

/**
 * The members of resources that follow from their declaration. What is declared and what is left to its default is no
 * difference.
 */
export function comparableResources(model: Model): ReadonlyMap<string, Comparable> {
  return new Map(
    [...model.resources].map(([name, { declares: _declares, hooks: _hooks, ...resource }]) => [name, resource]),
  );
}

/**
 * A model of version 2.0.0 with these resources and an older version 1.4.0 with these changes, each a line in flow
 * style.
 */
export function versioned(resources: string, changes: readonly string[], top = ''): string {
  return [
    'name: shop',
    'version: 2.0.0',
    'default_version: 1',
    ...(top === '' ? [] : [top]),
    'resources:',
    ...resources.split('\n').map((line) => `  ${line}`),
    'versions:',
    '  1.4.0:',
    '    changes:',
    ...(changes.length === 0 ? ['      []'] : changes.map((change) => `      - ${change}`)),
    '',
  ].join('\n');
}

/** The only older version of a model. */
export function loadOlder(text: string): OlderVersion {
  const [older, ...others] = load(text).model.versions;
  assert.ok(older !== undefined && others.length === 0);
  return older;
}

/** Asserts that the older version of a model is the contract of a model with these resources. */
export function assertOlder(resources: string, changes: readonly string[], expected: string, top = ''): void {
  const older = loadOlder(versioned(resources, changes, top));
  const plain = [
    'name: shop',
    ...(top === '' ? [] : [top]),
    'resources:',
    ...expected.split('\n').map((line) => `  ${line}`),
  ];
  const { model } = load(`${plain.join('\n')}\n`);
  assert.deepEqual(comparableResources(older.model), comparableResources(model));
}
