import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import { root } from '../../scripts/command.ts';
import { startApi, type StartApiOptions, type StartedApi, serveHttp } from '../../src/index.ts';
import { isDefinedModel } from '../../src/model/typescript/define-model.ts';
import { temporaryDirectory } from '../temporary-directory.ts';

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

/** The API of a guide's model, `shop.mts`, on a port. */
export interface ServedGuide extends AsyncDisposable {
  readonly opened: StartedApi;
  /** Imports a program of the guide, which finds the API at this port. */
  readonly program: (code: string) => Promise<unknown>;
}

/** Serves the model of a guide. */
export async function servedGuide(
  context: TestContext,
  model: string,
  options: Pick<StartApiOptions, 'dispatch'> = {},
): Promise<ServedGuide> {
  const folder = temporaryDirectory(context);
  const { default: defined }: { readonly default?: unknown } = await import(written(folder, 'shop.mts', model));
  assert.ok(isDefinedModel(defined));
  const opened = await startApi({ model: defined, database: ':memory:', ...options });
  const server = await serveHttp({ api: opened.api, port: 0 });
  return {
    opened,
    program: (code) =>
      import(
        written(
          folder,
          'client.mts',
          code.replaceAll('http://127.0.0.1:3000/api', `http://127.0.0.1:${server.port}/api`),
        )
      ),
    async [Symbol.asyncDispose]() {
      await server.close();
      await opened.close();
    },
  };
}

/** Serves the model of a guide, and runs a client beside it. @returns what the client prints, a text for each call */
export async function printedByClient(
  context: TestContext,
  { model, client }: { readonly model: string; readonly client: string },
): Promise<readonly string[]> {
  await using guide = await servedGuide(context, model);
  const printed: string[] = [];
  const log = (...values: readonly unknown[]): void =>
    void printed.push(values.map((value) => (typeof value === 'string' ? value : inspect(value))).join(' '));
  context.mock.method(console, 'log', log);
  try {
    await guide.program(client);
  } finally {
    context.mock.restoreAll();
  }
  return printed;
}
