import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { COMMANDS } from '../../src/cli/command-table.ts';
import { run } from '../../src/cli/program.ts';
import { recordedTerminal } from './recorded-terminal.ts';

const guides = path.join(import.meta.dirname, '..', '..', 'docs', 'guides');

let folder = '';
before(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'guides-'));
});
after(() => rm(folder, { recursive: true }));

describe('the guide to a first model', () => {
  it('shows a model without errors or warnings', async () => {
    const guide = await readFile(path.join(guides, 'getting-started.md'), 'utf8');
    const [, model] = /Save this as.*?```yaml\n(.*?)```/s.exec(guide) ?? assert.fail('the guide shows no model');
    const file = path.join(folder, 'shop.yaml');
    await writeFile(file, model ?? '');
    const terminal = recordedTerminal();
    assert.equal(await run(['check', file], terminal), 0);
    assert.match(terminal.written().stdout, /^\S+ is valid\n\n  collection/);
  });
});

describe('the guide to a model from data', () => {
  it('shows the model that is inferred from the data', async () => {
    const guide = await readFile(path.join(guides, 'getting-started.md'), 'utf8');
    const [, data = '', model] =
      /For this `db\.json`\n\n```json\n(.*?)```.*?```yaml\n(.*?)```/s.exec(guide) ??
      assert.fail('the guide shows no data');
    const file = path.join(folder, 'db.json');
    await writeFile(file, data);
    const terminal = recordedTerminal();
    assert.equal(await run(['init', '--from', file, '--output', '-'], terminal), 0);
    assert.equal(terminal.written().stdout.replace(/^.*\n/, ''), model);
  });
});

describe('the guide to the command line', () => {
  it('has every command, and every option of serve', async () => {
    const guide = await readFile(path.join(guides, 'command-line.md'), 'utf8');
    const serve = COMMANDS.find(({ name }) => name === 'serve') ?? assert.fail('there is no serve');
    const missing = [
      ...COMMANDS.filter(({ name }) => !new RegExp(`^\\| .*\`${name}\\b`, 'm').test(guide)),
      ...serve.options.filter(({ name }) => !guide.includes(`\n| \`--${name}\` |`)),
    ];
    assert.deepEqual(
      missing.map(({ name }) => name),
      [],
    );
  });
});

describe('the guide to imports', () => {
  it('shows the report of an invalid line', async () => {
    const guide = await readFile(path.join(guides, 'import-and-export.md'), 'utf8');
    const [, shown] = /```\n(cities\.ndjson:.*?)```/s.exec(guide) ?? assert.fail('the guide shows no error');
    const model = path.join(folder, 'world.yaml');
    const file = path.join(folder, 'cities.ndjson');
    const field = 'lat: { type: number }';
    await writeFile(
      model,
      `name: world\nresources:\n  cities:\n    schema: { type: object, properties: { ${field} } }\n`,
    );
    const lines = Array.from({ length: 1_000 }, (_, index) => (index === 16 ? '{"lat":"north"}' : '{"lat":60}'));
    await writeFile(file, lines.join('\n'));
    const terminal = recordedTerminal();
    const database = `sqlite:${path.join(folder, 'world.db')}`;
    assert.equal(await run(['import', model, 'cities', file, '--database', database], terminal), 1);
    assert.equal(terminal.written().stderr.replaceAll(file, 'cities.ndjson'), shown);
  });
});
