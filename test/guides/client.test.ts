import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import { root } from '../../scripts/command.ts';
import { serveHttp } from '../../src/http/serve-http.ts';
import { isDefinedModel } from '../../src/model/typescript/define-model.ts';
import { openApi } from '../../src/open-api.ts';
import { OPERATORS } from '../../src/model/values/operators.ts';
import { temporaryDirectory } from '../temporary-directory.ts';
import { blocksOf, codesOf, rowsOf, textOf } from './guide-pages.ts';

const guide = textOf('docs/guides/client.md');
const [model = '', ...samples] = blocksOf(guide, 'ts');

/** What the samples print, as their comments say. */
function expectedLines(): readonly string[] {
  return samples
    .join('')
    .split('\n')
    .flatMap((line) => /^(?:.*console\.log\(.*\); )?\/\/ (.*)$/.exec(line)?.slice(1) ?? [])
    .filter((line) => !line.endsWith('.mts'));
}

/** Writes the module of a guide. @returns its URL */
function written(folder: string, name: string, code: string): string {
  const file = path.join(folder, name);
  const source = (module: string): string => JSON.stringify(path.join(root, 'src', module));
  const text = code
    .replace("'restwright/client'", source('client/client.ts'))
    .replace("'restwright'", source('index.ts'));
  writeFileSync(file, text);
  return pathToFileURL(file).href;
}

describe('the guide to the client', () => {
  it('has samples that print what their comments say', async (context: TestContext) => {
    const folder = temporaryDirectory(context);
    const { default: defined }: { readonly default?: unknown } = await import(written(folder, 'shop.mts', model));
    assert.ok(isDefinedModel(defined));
    const { api, close } = await openApi({ model: defined, database: ':memory:' });
    const server = await serveHttp({ api, port: 0 });
    const printed: string[] = [];
    const log = (...values: readonly unknown[]): void =>
      void printed.push(values.map((value) => (typeof value === 'string' ? value : inspect(value))).join(' '));
    context.mock.method(console, 'log', log);
    try {
      const code = samples.join('\n').replaceAll('http://127.0.0.1:3000/api', `http://127.0.0.1:${server.port}/api`);
      await import(written(folder, 'client.mts', code));
    } finally {
      context.mock.restoreAll();
      await server.close();
      await close();
    }
    assert.deepEqual(printed, expectedLines());
    assert.ok(printed.length > 10);
  });

  it('[QRY-1] shows every operator', () => {
    const shown = rowsOf(guide, '## Collections')
      .flatMap((cells) => cells.flatMap(codesOf))
      .join(' ');
    for (const operator of OPERATORS) assert.match(shown, new RegExp(`\\b${operator}\\b`));
  });
});
