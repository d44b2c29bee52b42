import assert from 'node:assert/strict';
import { copyFileSync, globSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { describe, it, type TestContext } from 'node:test';
import { killAll, startServer, waitUntilListening } from '../cli/server-process.ts';
import { programFile, skipWithout, skipWithoutFile } from '../installed-programs.ts';
import { readOutput } from '../run-program.ts';
import { temporaryDirectory } from '../temporary-directory.ts';

const root = path.join(import.meta.dirname, '..', '..');
const archives = path.join(root, '.cache', 'generators', 'java');
const generator = path.join(archives, 'openapi-generator-cli-7.25.0.jar');

/** The output of each client that is called. */
const REPORT = 'cedar,birch aspen tree 412\n';

/** A model with more filters than a method of the JVM has parameters. */
const MODEL = JSON.stringify({
  name: 'notes',
  resources: {
    notes: {
      schema: {
        type: 'object',
        required: ['text_00'],
        properties: Object.fromEntries(
          Array.from({ length: 40 }, (_, index) => [
            `text_${String(index).padStart(2, '0')}`,
            { type: 'string', maxLength: 80 },
          ]),
        ),
      },
    },
  },
});

/** A server of the model, and a folder with its description for generators. */
interface DescribedServer {
  readonly folder: string;
  readonly origin: string;
}

async function startDescribed(context: TestContext): Promise<DescribedServer> {
  const folder = temporaryDirectory(context);
  writeFileSync(path.join(folder, 'notes.yaml'), MODEL);
  const server = startServer(folder, ['notes.yaml', '--port', '0']);
  context.after(() => killAll([server]));
  const { origin } = new URL(await waitUntilListening(server));
  const described = await fetch(`${origin}/openapi.json?profile=generators`);
  assert.equal(described.status, 200);
  writeFileSync(path.join(folder, 'openapi.json'), await described.text());
  return { folder, origin };
}

// The first tier of the compiler is enough for programs of a few seconds.
const JAVA = [programFile('java') ?? '', '-XX:TieredStopAtLevel=1'];

/** Generates a client in a folder with its name. */
async function generate(name: string, folder: string, options: readonly string[] = []): Promise<string> {
  const target = ['generate', '--input-spec', 'openapi.json', '--generator-name', name, '--output', name];
  await readOutput([...JAVA, '-jar', generator, ...target, ...options], { folder });
  return path.join(folder, name);
}

describe('clients of openapi-generator, of a model with 40 texts', {
  skip: skipWithoutFile(generator, 'openapi-generator is') || skipWithout('java', 'javac'),
  concurrency: false,
}, () => {
  it('[OPS-1e] in Java compiles, filters with two operators, and is refused by an old ETag', async (context) => {
    const { folder, origin } = await startDescribed(context);
    const client = await generate('java', folder, ['--library', 'native']);
    const program = path.join(import.meta.dirname, 'java', 'UseClient.java');
    const sources = globSync('src/main/**/*.java', { cwd: client }).map((file) => path.join(client, file));
    const classes = `${path.join(archives, '*')}${path.delimiter}classes`;
    const compile = [programFile('javac') ?? '', '-proc:none', '-nowarn', '-d', 'classes', '-cp', classes];
    await readOutput([...compile, program, ...sources], { folder });
    const printed = await readOutput([...JAVA, '-cp', classes, 'UseClient'], { folder, env: { API_ORIGIN: origin } });
    assert.equal(printed, REPORT);
  });

  it('[OPS-1e] of typescript-fetch compiles strictly, filters, and is refused by an old ETag', async (context) => {
    const { folder, origin } = await startDescribed(context);
    await generate('typescript-fetch', folder, ['--additional-properties', 'importFileExtension=.js']);
    copyFileSync(path.join(import.meta.dirname, 'typescript', 'typescript-fetch.ts'), path.join(folder, 'use.ts'));
    writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }\n');
    const types = path.join(root, 'node_modules', '@types');
    const target = ['--target', 'es2022', '--module', 'nodenext', '--lib', 'es2022,dom,dom.iterable'];
    const options = ['--strict', '--skipLibCheck', '--types', 'node', '--typeRoots', types, '--outDir', 'compiled'];
    const compiler = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc');
    await readOutput([process.execPath, compiler, ...target, ...options, 'use.ts'], { folder });
    const printed = await readOutput([process.execPath, 'compiled/use.js'], { folder, env: { API_ORIGIN: origin } });
    assert.equal(printed, REPORT);
  });

  it('[OPS-1e] are generated in C#, Kotlin and Rust with one object of filters', async (context) => {
    const { folder } = await startDescribed(context);
    const sources = { csharp: 'cs', kotlin: 'kt', rust: 'rs' };
    for (const [name, extension] of Object.entries(sources)) {
      const client = await generate(name, folder);
      const files = globSync(`**/*.${extension}`, { cwd: client });
      assert.ok(
        files.some((file) => /note_?filters/i.test(file)),
        `${name}: ${files.join()}`,
      );
    }
    await compileRust(path.join(folder, 'rust'));
  });
});

/** Compiles the client in Rust if the environment requests it: with its dependencies it costs minutes. */
async function compileRust(folder: string): Promise<void> {
  if (process.env['RESTWRIGHT_TEST_RUST'] === '1') {
    await readOutput([programFile('cargo') ?? 'cargo', 'check', '--quiet'], { folder });
    return;
  }
  process.stderr.write('NOT TESTED: the client in Rust is generated, not compiled; set RESTWRIGHT_TEST_RUST=1\n');
}
