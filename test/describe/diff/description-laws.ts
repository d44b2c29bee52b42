import assert from 'node:assert/strict';
import { Random } from '../../../scripts/campaign/random.ts';
import { type ApiDescription, readDescription } from '../../../src/describe/diff/api-description.ts';
import { diffDescriptions } from '../../../src/describe/diff/diff-descriptions.ts';
import { describedContracts, type OpenApiEdition } from '../../../src/describe/described-contract.ts';
import { openApiDocument } from '../../../src/describe/openapi/open-api-document.ts';
import { diffModels } from '../../../src/model/diff/diff-models.ts';
import type { Difference } from '../../../src/model/diff/difference.ts';
import type { Impact } from '../../../src/model/diff/difference-kinds.ts';
import { ModelError } from '../../../src/model/document/model-error.ts';
import { loadModel } from '../../../src/model/compile/load-model.ts';
import type { Model } from '../../../src/model/model.ts';
import { MUTATIONS, type MutableDocument, randomDocument } from '../../model/diff/random-documents.ts';

function loadValid(document: MutableDocument): Model | null {
  try {
    return loadModel({ file: 'model.json', text: JSON.stringify(document) }).model;
  } catch (error) {
    if (error instanceof ModelError) return null;
    throw error;
  }
}

function describeModel(model: Model, edition: OpenApiEdition = '3.1'): ApiDescription {
  const [newest] = describedContracts(model);
  return readDescription(openApiDocument(newest ?? assert.fail(), edition));
}

interface ChangedModel {
  readonly name: string;
  readonly models: readonly [was: Model, is: Model];
}

/** A random model, changed in one way each. @param share of all ways */
function* changeModels(seed: number, share: number): Generator<ChangedModel> {
  const random = new Random(seed);
  const document = randomDocument(random);
  const was = loadValid(document) ?? assert.fail();
  for (const mutation of MUTATIONS) {
    if (!random.chance(share)) continue;
    const copy = structuredClone(document);
    const isApplied = mutation.apply(copy, random.pick(Object.keys(document.resources)), random);
    const is = isApplied ? loadValid(copy) : null;
    if (is !== null) yield { name: `seed ${seed}: ${mutation.name}`, models: [was, is] };
  }
}

const isBreaking = ({ requests, responses }: Difference): boolean => [requests, responses].includes('breaking');

const OPPOSITES: Readonly<Record<Impact, readonly Impact[]>> = {
  breaking: ['breaking', 'possibly-breaking', 'compatible'],
  compatible: ['breaking', 'possibly-breaking'],
  'possibly-breaking': ['breaking', 'possibly-breaking', 'compatible'],
  none: ['none'],
};

/** A description of a random model has no difference from itself. */
export function checkEqual(seed: number): void {
  const model = loadValid(randomDocument(new Random(seed))) ?? assert.fail();
  for (const edition of ['3.1', '3.2'] as const) {
    const [one, other] = [describeModel(model, edition), describeModel(model, edition)];
    assert.deepEqual(diffDescriptions(one, other).differences, [], `seed ${seed}`);
  }
}

/**
 * Checks that a change that breaks a description breaks its model, and that narrower in one direction is wider in the
 * other.
 *
 * @param share of all ways to change a model
 * @returns the number of differences
 */
export function checkLaws(seed: number, share: number): number {
  let found = 0;
  for (const { name, models } of changeModels(seed, share)) {
    const [was, is] = models.map((model) => describeModel(model));
    assert.ok(was !== undefined && is !== undefined);
    const there = diffDescriptions(was, is).differences;
    found += there.length;
    const ofModels: readonly Difference[] = diffModels(...models).differences;
    if (there.some(isBreaking)) assert.ok(ofModels.some(isBreaking), `${name}: ${JSON.stringify(there)}`);
    if (there.length > 0) assert.ok(ofModels.length > 0, name);
    checkReverse(there, diffDescriptions(is, was).differences, name);
  }
  return found;
}

/** Checks that the only difference at a place has its opposite in the other direction. */
function checkReverse(there: readonly Difference[], back: readonly Difference[], name: string): void {
  const reverse = Map.groupBy(back, ({ path }) => path);
  for (const [path, group] of Map.groupBy(there, (each) => each.path)) {
    const [one] = group;
    const [other] = reverse.get(path) ?? [];
    if (one === undefined || other === undefined || group.length > 1 || reverse.get(path)?.length !== 1) continue;
    for (const side of ['requests', 'responses'] as const) {
      assert.ok(OPPOSITES[one[side]].includes(other[side]), `${name}: ${path} ${one.kind} ${other.kind}`);
    }
  }
}
