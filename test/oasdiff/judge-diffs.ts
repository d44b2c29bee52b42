import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { Random } from '../../scripts/campaign/random.ts';
import type { JsonObject } from '../../src/conventions/json/json.ts';
import { readDescription } from '../../src/describe/diff/api-description.ts';
import { diffDescriptions } from '../../src/describe/diff/diff-descriptions.ts';
import { describedContracts } from '../../src/describe/described-contract.ts';
import { openApiDocument } from '../../src/describe/openapi/open-api-document.ts';
import { diffModels, type ModelDiff } from '../../src/model/diff/diff-models.ts';
import { highestPart } from '../../src/model/diff/needed-version.ts';
import { ModelError } from '../../src/model/document/model-error.ts';
import { loadModel } from '../../src/model/compile/load-model.ts';
import type { Model } from '../../src/model/model.ts';
import { programFile } from '../installed-programs.ts';
import { MUTATIONS, type MutableDocument, randomDocument } from '../model/diff/random-documents.ts';

/** A change that oasdiff calls breaking. */
export interface BreakingChange {
  /** The check that found it, such as `request-property-became-required`. */
  readonly id: string;
  readonly operation: string;
  readonly text: string;
}

/** Two models that differ by one change, as `restwright diff` and oasdiff judge it. */
export interface JudgedPair {
  /** The seed of the first model, and what was changed. */
  readonly name: string;
  /** True if `restwright diff --strict` calls the change breaking: of the models, and of their descriptions. */
  readonly isBreaking: boolean;
  readonly isDescriptionBreaking: boolean;
  readonly breakingChanges: readonly BreakingChange[];
}

interface Pair {
  readonly name: string;
  readonly models: readonly [was: Model, is: Model];
}

/**
 * Judges pairs of random models by oasdiff, which compares their descriptions.
 *
 * @param count pairs; each model is changed in every way that `MUTATIONS` has
 * @param seed of the first model
 */
export async function judgeDiffs(count: number, seed: number): Promise<readonly JudgedPair[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'oasdiff-'));
  try {
    const pairs = randomPairs(seed).take(count).toArray();
    const files = pairs.map(({ models }, index) =>
      models.map((model, side) =>
        writeDescription(path.join(folder, `${index}-${side}.json`), describePublished(model)),
      ),
    );
    const verdicts = await runOasdiff(files);
    return pairs.map(({ name, models: [was, is] }, index) => ({
      name,
      isBreaking: isBreaking(diffModels(was, is)),
      isDescriptionBreaking: isBreaking(
        diffDescriptions(readDescription(describePublished(was)), readDescription(describePublished(is))),
      ),
      breakingChanges: verdicts[index] ?? [],
    }));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function* randomPairs(firstSeed: number): Generator<Pair, void, undefined> {
  for (let seed = firstSeed; ; seed += 1) {
    const random = new Random(seed);
    const document = randomDocument(random);
    const was = loadValid(document);
    if (was === null) continue;
    for (const mutation of MUTATIONS) {
      const copy = structuredClone(document);
      const isApplied = mutation.apply(copy, random.pick(Object.keys(document.resources)), random);
      const is = isApplied ? loadValid(copy) : null;
      if (is !== null) yield { name: `seed ${seed}: ${mutation.name}`, models: [was, is] };
    }
  }
}

/** The model of a document; null for an invalid one, such as one that sorts by a field that was removed. */
function loadValid(document: MutableDocument): Model | null {
  try {
    return loadModel({ file: 'model.json', text: JSON.stringify(document) }).model;
  } catch (error) {
    if (error instanceof ModelError) return null;
    throw error;
  }
}

function isBreaking({ differences }: ModelDiff): boolean {
  return highestPart(differences, 'strict') === 'major';
}

/** Creates the document of `/openapi.json`. */
function describePublished(model: Model): JsonObject {
  const [newest] = describedContracts(model);
  if (newest === undefined) throw new Error('the model has no contract');
  return openApiDocument(newest, '3.1');
}

/** @returns the file */
function writeDescription(file: string, description: JsonObject): string {
  writeFileSync(file, JSON.stringify(description));
  return file;
}

/** One process judges all pairs: a line of file names in, a line of changes out. @see main.go */
async function runOasdiff(pairs: readonly (readonly string[])[]): Promise<readonly (readonly BreakingChange[])[]> {
  const child = spawn(programFile('oasdiff-pairs') ?? 'oasdiff-pairs', { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(pairs.map((pair) => `${JSON.stringify(pair)}\n`).join(''));
  const verdicts: (readonly BreakingChange[])[] = [];
  for await (const line of createInterface({ input: child.stdout })) verdicts.push(JSON.parse(line));
  if (verdicts.length !== pairs.length) throw new Error(`oasdiff judged ${verdicts.length} of ${pairs.length} pairs`);
  return verdicts;
}
