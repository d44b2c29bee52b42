import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import { root } from '../../scripts/command.ts';
import { serveHttp } from '../../src/http/serve-http.ts';
import { isDefinedModel } from '../../src/model/typescript/define-model.ts';
import { openApi } from '../../src/open-api.ts';
import { temporaryDirectory } from '../temporary-directory.ts';
import { blocksOf, textOf } from './guide-pages.ts';

const [model = '', reader = ''] = blocksOf(textOf('docs/guides/events.md'), 'ts');

/** Writes a module of the guide. @returns its URL */
function written(folder: string, name: string, code: string): string {
  const file = path.join(folder, name);
  const source = (module: string): string => JSON.stringify(path.join(root, 'src', module));
  const text = code
    .replace("'restwright/client'", source('client/client.ts'))
    .replace("'restwright'", source('index.ts'));
  writeFileSync(file, text);
  return pathToFileURL(file).href;
}

describe('the guide to events', () => {
  it('has a reader of the feed that prints what its comment says', async (context: TestContext) => {
    const folder = temporaryDirectory(context);
    const { default: defined }: { readonly default?: unknown } = await import(written(folder, 'shop.mts', model));
    assert.ok(isDefinedModel(defined));
    const { api, close } = await openApi({ model: defined, database: ':memory:' });
    const server = await serveHttp({ api, port: 0 });
    const printed: string[] = [];
    context.mock.method(console, 'log', (...values: readonly unknown[]) => void printed.push(values.join(' ')));
    try {
      await import(
        written(
          folder,
          'reader.mts',
          reader.replace('http://127.0.0.1:3000/api', `http://127.0.0.1:${server.port}/api`),
        )
      );
    } finally {
      context.mock.restoreAll();
      await server.close();
      await close();
    }
    assert.deepEqual(printed, [/console\.log\(.*\); \/\/ (.*)$/m.exec(reader)?.[1]]);
  });
});
