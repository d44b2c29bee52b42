import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import process from 'node:process';
import { describe, it, type TestContext } from 'node:test';
import { skipWithoutFile } from '../../installed-programs.ts';
import { temporaryDirectory } from '../../temporary-directory.ts';
import { SPECIFIED } from '../openapi/described.ts';
import { describeEvents } from './described-events.ts';

const root = path.join(import.meta.dirname, '..', '..', '..');
const modules = path.join(root, '.cache', 'linters', 'node_modules');

const FULL = SPECIFIED.replace('resources:', 'webhooks: {}\nresources:').replace(
  '    search: [name]\n',
  '    search: [name]\n    events: full\n',
);
const PLAIN = 'name: plain\nresources: { notes: { events: none, schema: { type: object } } }\n';

/** Findings that are accepted: a model has neither, they belong to the operator of an API. */
const ACCEPTED: ReadonlySet<string> = new Set(['asyncapi-info-contact', 'asyncapi-info-license']);

interface ParserModule {
  readonly Parser: new () => {
    parse(text: string): Promise<{
      readonly document?: unknown;
      readonly diagnostics: readonly { readonly code: string; readonly message: string }[];
    }>;
  };
}

/** The findings of Spectral's rules for AsyncAPI, without the accepted ones. */
async function spectral(context: TestContext, document: object): Promise<readonly string[]> {
  const folder = temporaryDirectory(context);
  const [file, ruleset] = [path.join(folder, 'asyncapi.json'), path.join(folder, 'spectral.yaml')];
  writeFileSync(file, JSON.stringify(document, null, 1));
  writeFileSync(ruleset, 'extends: ["spectral:asyncapi"]\n');
  const { promise, resolve } = Promise.withResolvers<string>();
  const script = path.join(modules, '.bin', 'spectral');
  const args = [script, 'lint', '--ruleset', ruleset, '-f', 'json', '--quiet', file];
  execFile(process.execPath, args, { maxBuffer: 64 * 1_048_576 }, (_error, stdout) => resolve(stdout));
  const found: readonly { readonly code: string; readonly message: string }[] = JSON.parse(await promise);
  return found.filter(({ code }) => !ACCEPTED.has(code)).map(({ code, message }) => `${code}: ${message}`);
}

describe('judges of AsyncAPI descriptions', {
  skip: skipWithoutFile(path.join(modules, '@asyncapi', 'parser'), 'the linters of AsyncAPI are'),
  concurrency: false,
}, () => {
  const documents = [...describeEvents(FULL), ...describeEvents(PLAIN)];

  it('[EVT-10c] is parsed by @asyncapi/parser without a finding', async () => {
    const module: ParserModule = createRequire(path.join(modules, 'index.js'))('@asyncapi/parser');
    for (const document of documents) {
      const parsed = await new module.Parser().parse(JSON.stringify(document));
      assert.deepEqual(
        parsed.diagnostics.map(({ code, message }) => `${code}: ${message}`),
        [],
      );
      assert.ok(parsed.document !== undefined);
    }
  });

  it('[EVT-10c] has no finding of Spectral (asyncapi)', async (context) => {
    for (const document of documents) assert.deepEqual(await spectral(context, document), []);
  });
});
