import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Random } from '../../../scripts/campaign/random.ts';
import { diffModels } from '../../../src/model/diff/diff-models.ts';
import type { Difference } from '../../../src/model/diff/difference.ts';
import type { Impact } from '../../../src/model/diff/difference-kinds.ts';
import { highestPart, type VersionPart } from '../../../src/model/diff/needed-version.ts';
import { ModelError } from '../../../src/model/document/model-error.ts';
import { loadModel } from '../../../src/model/compile/load-model.ts';
import type { Model } from '../../../src/model/model.ts';
import { INNER_MUTATIONS, MUTATIONS, type MutableDocument, type Mutation, randomDocument } from './random-documents.ts';

const MODELS = 8;
const IMPACTS: readonly Impact[] = ['none', 'compatible', 'possibly-breaking', 'breaking'];
const PARTS: readonly VersionPart[] = ['none', 'patch', 'minor', 'major'];

/** The model of a document; null for an invalid one, such as one that sorts by a field that was removed. */
function loadValid(document: MutableDocument): Model | null {
  try {
    return loadModel({ file: 'model.json', text: JSON.stringify(document) }).model;
  } catch (error) {
    if (error instanceof ModelError) return null;
    throw error;
  }
}

function mutated(
  document: MutableDocument,
  mutation: Mutation,
  resource: string,
  random: Random,
): MutableDocument | null {
  const copy = structuredClone(document);
  return mutation.apply(copy, resource, random) && JSON.stringify(copy) !== JSON.stringify(document) ? copy : null;
}

/** The strongest impact on requests and on responses at each path. */
function strongestImpacts(differences: readonly Difference[]): ReadonlyMap<string, Impact> {
  const strongest = new Map<string, Impact>();
  for (const { path, requests, responses } of differences) {
    for (const [direction, impact] of [
      ['requests', requests],
      ['responses', responses],
    ] as const) {
      const key = `${direction} ${path}`;
      const before = strongest.get(key) ?? 'none';
      strongest.set(key, IMPACTS.indexOf(impact) > IMPACTS.indexOf(before) ? impact : before);
    }
  }
  return strongest;
}

const needed = (was: Model, is: Model): number => PARTS.indexOf(highestPart(diffModels(was, is).differences));

describe('the differences of random models', () => {
  it('[VER-6a] are none between a model and itself', () => {
    for (let seed = 0; seed < MODELS; seed += 1) {
      const document = randomDocument(new Random(seed));
      const [one, other] = [loadValid(document), loadValid(structuredClone(document))];
      assert.ok(one !== null && other !== null, `seed ${seed}`);
      assert.deepEqual(diffModels(one, other), { differences: [], notes: [] });
    }
  });

  it('[VER-6a] show every change that a client can see, and what allows more in one direction allows less in the other', () => {
    const applied = new Set<string>();
    for (let seed = 0; seed < MODELS; seed += 1) {
      const random = new Random(seed);
      const document = randomDocument(random);
      const was = loadValid(document);
      if (was === null) continue;
      for (const mutation of MUTATIONS) {
        const resource = random.pick(Object.keys(document.resources));
        const copy = mutated(document, mutation, resource, random);
        const is = copy === null ? null : loadValid(copy);
        if (is === null) continue;
        applied.add(mutation.name);
        const there: readonly Difference[] = diffModels(was, is).differences;
        const back = strongestImpacts(diffModels(is, was).differences);
        const at = `seed ${seed}: ${mutation.name} of ${resource}`;
        assert.notEqual(there.length, 0, at);
        for (const [place, impact] of strongestImpacts(there)) {
          const reverse = back.get(place) ?? assert.fail(`${at}: ${place} has no reverse`);
          assert.equal(
            impact === 'none',
            reverse === 'none',
            `${at}: ${place} is ${impact}, and ${reverse} in reverse`,
          );
          if (impact === 'compatible')
            assert.ok(reverse.endsWith('breaking'), `${at}: ${place} is compatible both ways`);
        }
      }
    }
    assert.deepEqual(
      MUTATIONS.map(({ name }) => name).filter((name) => !applied.has(name)),
      [],
      'these never led to a valid model',
    );
  });

  it('[VER-6a] of a chain need the highest version of its steps', () => {
    let chains = 0;
    for (let seed = 0; seed < 4 * MODELS; seed += 1) {
      const random = new Random(seed);
      const document = randomDocument(random);
      const [first, second] = Object.keys(document.resources);
      if (first === undefined || second === undefined) continue;
      const middle = mutated(document, random.pick(INNER_MUTATIONS), first, random);
      const last = middle === null ? null : mutated(middle, random.pick(INNER_MUTATIONS), second, random);
      const [a, b, c] = [document, middle, last].map((each) => (each === null ? null : loadValid(each)));
      if (!a || !b || !c) continue;
      chains += 1;
      assert.equal(needed(a, c), Math.max(needed(a, b), needed(b, c)), `seed ${seed}`);
    }
    assert.ok(chains > 2 * MODELS, String(chains));
  });

  it('[VER-6a] of any chain never need more than the highest of its steps', () => {
    for (let seed = 0; seed < MODELS; seed += 1) {
      const random = new Random(seed);
      const documents = [randomDocument(random)];
      while (documents.length < 4) {
        const before = documents.at(-1) ?? assert.fail();
        const after = mutated(before, random.pick(MUTATIONS), random.pick(Object.keys(before.resources)), random);
        if (after !== null && loadValid(after) !== null) documents.push(after);
      }
      const models = documents.map((each) => loadValid(each) ?? assert.fail());
      const steps = models.slice(1).map((each, index) => needed(models[index] ?? each, each));
      const [first, last] = [models[0] ?? assert.fail(), models.at(-1) ?? assert.fail()];
      assert.ok(needed(first, last) <= Math.max(...steps), `seed ${seed}`);
    }
  });
});
