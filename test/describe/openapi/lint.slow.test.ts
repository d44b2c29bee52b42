import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { describe, it, type TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import { skipWithoutFile } from '../../installed-programs.ts';
import { temporaryDirectory } from '../../temporary-directory.ts';
import { describeVersions, SPECIFIED, TABLES } from './described.ts';
import { EXCEPTIONS, type LintException } from './lint-exceptions.ts';

const root = path.join(import.meta.dirname, '..', '..', '..');
const modules = path.join(root, '.cache', 'linters', 'node_modules');

/** A finding: a rule, and where. */
interface LintFinding {
  readonly rule: string;
  readonly at: string;
}

/** Runs a program of the linters. @returns its standard output, whatever it found */
async function runProgram(program: string, args: readonly string[]): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const script = path.join(modules, '.bin', program);
  const options = { maxBuffer: 512 * 1_048_576, cwd: root };
  execFile(process.execPath, [script, ...args], options, (_error, stdout) => resolve(stdout));
  return promise;
}

/** Writes the descriptions of all contracts of the models, in both editions. @returns the paths of the files */
function writeFiles(context: TestContext): readonly string[] {
  const folder = temporaryDirectory(context);
  return (['3.1', '3.2'] as const).flatMap((edition) =>
    [SPECIFIED, TABLES]
      .flatMap((text) => describeVersions(`${text}\nwebhooks: {}\n`, edition))
      .map((document, index) => {
        const file = path.join(folder, `${edition}-${index}.json`);
        writeFileSync(file, JSON.stringify(document, null, 1));
        return file;
      }),
  );
}

function isAccepted({ rule, at }: LintFinding, exception: LintException): boolean {
  return rule === exception.rule && exception.at?.test(at) !== false;
}

/** Fails on findings without an exception, and on exceptions of these rules without a finding. */
function assertAccepted(findings: readonly LintFinding[], rules: RegExp): void {
  const left = findings.filter((finding) => !EXCEPTIONS.some((exception) => isAccepted(finding, exception)));
  assert.deepEqual(left.slice(0, 20), []);
  const unused = EXCEPTIONS.filter(
    (exception) => rules.test(exception.rule) && !findings.some((finding) => isAccepted(finding, exception)),
  );
  assert.deepEqual(unused, []);
}

interface RedoclyReport {
  readonly problems: readonly {
    readonly ruleId: string;
    readonly location: readonly { readonly pointer?: string }[];
  }[];
}

type SpectralReport = readonly { readonly code: string; readonly path: readonly (string | number)[] }[];

describe('judges of OpenAPI descriptions', {
  skip: skipWithoutFile(path.join(modules, '@redocly', 'cli'), 'the linters of OpenAPI are'),
  concurrency: false,
}, () => {
  it('[OPS-1a] is valid by the schemas of OpenAPI 3.1 and 3.2', async (context) => {
    const module: unknown = await import(
      pathToFileURL(path.join(modules, '@seriousme', 'openapi-schema-validator', 'index.js')).href
    );
    assert.ok(typeof module === 'object' && module !== null && 'Validator' in module);
    const { Validator } = module as {
      readonly Validator: new () => { validate(file: string): Promise<{ readonly valid: boolean }> };
    };
    for (const file of writeFiles(context)) {
      const { valid, ...rest } = await new Validator().validate(file);
      assert.ok(valid, JSON.stringify(rest));
    }
  });

  it('[OPS-1a] has no finding of Redocly (recommended) but those that are argued', async (context) => {
    const config = path.join(temporaryDirectory(context), 'redocly.yaml');
    writeFileSync(config, 'extends: [recommended]\n');
    const findings: LintFinding[] = [];
    for (const file of writeFiles(context)) {
      const output = await runProgram('redocly', [
        'lint',
        '--config',
        config,
        '--format=json',
        '--max-problems=10000',
        file,
      ]);
      const { problems }: RedoclyReport = JSON.parse(output.slice(output.indexOf('{')));
      findings.push(...problems.map(({ ruleId, location }) => ({ rule: ruleId, at: location[0]?.pointer ?? '' })));
    }
    assertAccepted(findings, /^(?:info-license|no-unused-components)$/);
  });

  it('[OPS-1a] has no finding of Spectral (OpenAPI and OWASP) but those that are argued', async (context) => {
    const ruleset = path.join(temporaryDirectory(context), 'spectral.yaml');
    const owasp = path.join(modules, '@stoplight', 'spectral-owasp-ruleset', 'dist', 'ruleset.js');
    writeFileSync(ruleset, `extends: ["spectral:oas", ${JSON.stringify(owasp)}]\n`);
    const [file = ''] = writeFiles(context);
    const report: SpectralReport = JSON.parse(
      await runProgram('spectral', ['lint', '--ruleset', ruleset, '-f', 'json', '--quiet', file]),
    );
    assertAccepted(
      report.map(({ code, path: at }) => ({ rule: code, at: at.join('/') })),
      /^(?:info-contact|oas3-|owasp:)/,
    );
  });

  it('lists the versions of the linters that are installed', () => {
    const lock = readFileSync(path.join(root, 'test/describe/openapi/linters/package-lock.json'), 'utf8');
    assert.equal(readFileSync(path.join(root, '.cache/linters/installed.json'), 'utf8'), lock, 'stale: run .ci/run');
  });
});
