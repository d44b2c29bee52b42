import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { execFile } from 'node:child_process';
import { mkdtemp, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { after, describe, it } from 'node:test';
import { CommandError } from '../../../src/cli/command-error.ts';
import { readModel, requireModel } from '../../../src/cli/model-file/read-model.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'restwright-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const index = JSON.stringify(pathToFileURL(path.join(import.meta.dirname, '../../../src/index.ts')).href);
const MODEL = `import { defineModel, resource } from ${index};
export default defineModel({
  name: 'desk',
  resources: { notes: resource({ schema: { type: 'object', properties: { text: { type: 'string' } } } }) },
});
`;

const MODULE_WITH_IMPORT = `import { text } from './text.ts';
import { defineModel, resource } from INDEX;
export default defineModel({
  name: 'desk',
  resources: { notes: resource({ schema: { type: 'object', properties: { text } } }) },
});
`;

let written = 0;
async function file(name: string, text: string): Promise<string> {
  written += 1;
  const made = path.join(folder, `${written}-${name}`);
  await writeFile(made, text);
  return made;
}

describe('a model in a module', () => {
  for (const extension of ['ts', 'mts', 'js', 'mjs']) {
    it(`is read from .${extension}`, async () => {
      const { model } = await requireModel(await file(`desk.${extension}`, MODEL), {});
      assert.equal(model.name, 'desk');
    });
  }

  const packages: readonly (readonly [title: string, manifest: object])[] = [
    ['of CommonJS, as npm init writes it', { type: 'commonjs' }],
    ['without a type', {}],
    ['of ECMAScript modules', { type: 'module' }],
  ];
  for (const [title, manifest] of packages) {
    it(`is read in a package ${title}, with what it imports and without a warning`, async () => {
      const program = `import { requireModel } from ${JSON.stringify(pathToFileURL(path.join(import.meta.dirname, '../../../src/cli/model-file/read-model.ts')).href)};
        for (const file of process.argv.slice(1)) console.log((await requireModel(file, {})).model.name);`;
      const desk = await mkdtemp(path.join(folder, 'package-'));
      const module = MODULE_WITH_IMPORT.replace('INDEX', index);
      await writeFile(path.join(desk, 'package.json'), JSON.stringify(manifest));
      await writeFile(path.join(desk, 'text.ts'), "export const text = { type: 'string' } as const;\n");
      const required = `const { defineModel } = require(${JSON.stringify(fileURLToPath(JSON.parse(index)))});\n`;
      await writeFile(
        path.join(desk, 'required.cjs'),
        `${required}module.exports = defineModel(require('./desk.json'));\n`,
      );
      await writeFile(
        path.join(desk, 'desk.json'),
        '{ "name": "desk", "resources": { "notes": { "schema": { "type": "object" } } } }',
      );
      const files = ['desk.ts', 'desk.mts', 'desk.js', 'desk.mjs'].map((name) => path.join(desk, name));
      for (const each of files) await writeFile(each, module);
      const args = ['--input-type=module-typescript', '-e', program, ...files, path.join(desk, 'required.cjs')];
      const { stdout, stderr } = await promisify(execFile)(process.execPath, args);
      assert.deepEqual([stdout, stderr], ['desk\n'.repeat(5), '']);
    });
  }

  it('imports restwright from this program where it is not installed for the model', async () => {
    const made = await file('desk.mts', MODEL.replace(index, "'restwright'"));
    assert.equal((await requireModel(made, {})).model.name, 'desk');
    const other = await file('desk.mts', MODEL.replace(index, "'restwrigth'"));
    await assert.rejects(readModel(other, {}), /Cannot find package 'restwrigth'/);
  });

  it('is loaded again when it has changed', async () => {
    const made = await file('desk.ts', MODEL);
    assert.equal((await requireModel(made, {})).model.name, 'desk');
    await writeFile(made, MODEL.replace("'desk'", "'table'"));
    await utimes(made, new Date(), new Date(Date.now() + 5_000));
    assert.equal((await requireModel(made, {})).model.name, 'table');
  });

  it('has another fingerprint when an imported module changes, and the same one in another folder', async () => {
    const program = `import { requireModel } from ${JSON.stringify(pathToFileURL(path.join(import.meta.dirname, '../../../src/cli/model-file/read-model.ts')).href)};
      console.log((await requireModel(process.argv[1], {})).model.fingerprint);`;
    const fingerprint = async (factor: number): Promise<string> => {
      const desk = await mkdtemp(path.join(folder, 'desk-'));
      await writeFile(path.join(desk, 'price.ts'), `export const total = (n: number): number => n * ${factor};\n`);
      await writeFile(path.join(desk, 'desk.ts'), `import './price.ts';\n${MODEL}`);
      const args = ['--input-type=module-typescript', '-e', program, path.join(desk, 'desk.ts')];
      return (await promisify(execFile)(process.execPath, args)).stdout;
    };
    const [two, three, again] = await Promise.all([2, 3, 2].map(fingerprint));
    assert.notEqual(two, three);
    assert.equal(two, again);
  });

  it('reports errors with their paths', async () => {
    const read = await readModel(await file('desk.ts', MODEL.replace("type: 'string'", "type: 'strin'")), {});
    assert.ok(read.kind === 'invalid');
    assert.equal(read.problems[0]?.path, 'resources.notes.schema.properties.text.type');
  });

  const broken: readonly (readonly [title: string, text: string, exitCode: number, says: RegExp])[] = [
    ['exports no model', 'export default { name: 1 };', 1, /does not export a model; add `export default defineModel/],
    ['exports nothing', 'export {};', 1, /does not export a model/],
    ['throws', "\nthrow new Error('no luck');", 1, /cannot be loaded: no luck \(line 2\)/],
    ['has a syntax error', 'export default defineModel(', 1, /cannot be loaded/],
    ['imports a missing module', "import './nothing.ts';", 1, /cannot be loaded: .*nothing\.ts/],
  ];
  for (const [title, text, exitCode, says] of broken) {
    it(`that ${title} is reported in one sentence`, async () => {
      const made = await file('broken.ts', text);
      await assert.rejects(readModel(made, {}), (error) => {
        assert.ok(error instanceof CommandError);
        assert.equal(error.exitCode, exitCode);
        assert.match(error.message, says);
        assert.doesNotMatch(error.message, /\n\s+at /);
        return true;
      });
    });
  }

  it('that does not exist is a usage error', async () => {
    await assert.rejects(
      readModel(path.join(folder, 'none.ts'), {}),
      (error) => error instanceof CommandError && error.exitCode === 2,
    );
  });
});
