import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  linkSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { run } from '../../../src/cli/program.ts';
import { loadModel } from '../../../src/model/compile/load-model.ts';
import { startApi, type StartedApi } from '../../../src/start-api.ts';
import { recordedTerminal } from '../recorded-terminal.ts';
import { program } from '../server-process.ts';

const MODEL = `
name: store
version: 1.0.0
resources:
  items: { id: client, schema: { type: object, properties: { name: { type: string } } } }
`;

let folder: string;
let model: string;
let database: string;
let opened: StartedApi;
beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'restwright-'));
  model = path.join(folder, 'store.yaml');
  database = path.join(folder, 'store.db');
  writeFileSync(model, MODEL);
  opened = await startApi({ model: loadModel({ file: model, text: MODEL, env: {} }).model, database });
  await opened.api.importRows('items', [{ id: 'a', name: 'first' }]);
});
afterEach(async () => {
  await opened.close();
  rmSync(folder, { recursive: true, force: true });
});

async function command(
  name: 'import' | 'export',
  ...args: readonly string[]
): Promise<{ code: number; stderr: string }> {
  const terminal = recordedTerminal();
  const [file, ...flags] = args;
  const code = await run(
    [name, model, 'items', ...(file === undefined ? [] : [file]), '--database', `sqlite:${database}`, ...flags],
    terminal,
  );
  return { code, stderr: terminal.written().stderr };
}

/** The contents of the files that no command may change. */
function contents(): readonly string[] {
  return [database, `${database}-wal`, model].map((file) => readFileSync(file).toString('latin1'));
}

/** Makes a path that leads to a file, by each of the ways that a file system offers. */
const WAYS: Readonly<Record<string, (file: string) => string>> = {
  path: (file) => file,
  'other path': (file) => path.join(path.dirname(file), '..', path.basename(folder), path.basename(file)),
  symlink: (file) => {
    const link = path.join(folder, 'symlink.ndjson');
    symlinkSync(file, link);
    return link;
  },
  'symlink to a symlink': (file) => {
    const [first, second] = [path.join(folder, 'one'), path.join(folder, 'two.ndjson')];
    symlinkSync(file, first);
    symlinkSync(first, second);
    return second;
  },
  'hard link': (file) => {
    const link = path.join(folder, 'link.ndjson');
    linkSync(file, link);
    return link;
  },
  'hard link for the unfinished file': (file) => {
    const link = path.join(folder, 'rows.ndjson');
    linkSync(file, `${link}.partial`);
    return link;
  },
  'symlink for the unfinished file': (file) => {
    const link = path.join(folder, 'rows.ndjson');
    symlinkSync(file, `${link}.partial`);
    return link;
  },
};

const FILES: Readonly<Record<string, () => string>> = {
  'the database': () => database,
  'the write-ahead log': () => `${database}-wal`,
  'the index of the log': () => `${database}-shm`,
  'the model': () => model,
};

describe('a file that a command must not overwrite', () => {
  for (const [name, file] of Object.entries(FILES)) {
    for (const [way, lead] of Object.entries(WAYS)) {
      it(`export refuses ${name} by ${way}, also with --force`, async () => {
        const target = lead(file());
        const before = contents();
        for (const flags of [[], ['--force']]) {
          const { code, stderr } = await command('export', target, '--format', 'ndjson', ...flags);
          assert.equal(code, 2, stderr);
          assert.match(stderr, /cannot export to .*: it is the (database |file .* of the database;|model )/);
        }
        assert.deepEqual(contents(), before);
      });
    }

    it(`import refuses ${name}`, async () => {
      const { code, stderr } = await command('import', file(), '--format', 'ndjson');
      assert.equal(code, 2, stderr);
      assert.match(stderr, /cannot import .*: it is the (database |file .* of the database;|model )/);
    });
  }

  it('export refuses the name of a log or journal that does not exist', async () => {
    await opened.close();
    for (const suffix of ['-wal', '-shm', '-journal']) {
      const { code, stderr } = await command('export', `${database}${suffix}`, '--format', 'ndjson', '--force');
      assert.equal(code, 2, stderr);
      assert.ok(!existsSync(`${database}${suffix}`));
    }
  });

  it('export replaces an existing file with --force alone, and leaves what the file was a link to', async () => {
    const [file, link] = [path.join(folder, 'notes.ndjson'), path.join(folder, 'link.ndjson')];
    writeFileSync(file, 'notes');
    symlinkSync(file, link);
    for (const existing of [file, link]) {
      const { code, stderr } = await command('export', existing);
      assert.equal(code, 2);
      assert.match(stderr, /it already exists; name another file, or replace it with --force/);
    }
    assert.equal((await command('export', link, '--force')).code, 0);
    assert.match(readFileSync(link, 'utf8'), /"first"/);
    assert.equal(readFileSync(file, 'utf8'), 'notes');
    assert.equal((await command('export', file, '--force')).code, 0);
    assert.match(readFileSync(file, 'utf8'), /"first"/);
  });

  it('export does not replace an unfinished export without --force', async () => {
    const file = path.join(folder, 'rows.ndjson');
    writeFileSync(`${file}.partial`, 'rows');
    assert.equal((await command('export', file)).code, 2);
    assert.equal(readFileSync(`${file}.partial`, 'utf8'), 'rows');
    assert.equal((await command('export', file, '--force')).code, 0);
    assert.ok(!existsSync(`${file}.partial`));
  });

  it('export refuses a directory and a device, also with --force', async () => {
    const device = path.join(folder, 'null.ndjson');
    symlinkSync('/dev/null', device);
    for (const file of [folder, device]) {
      const { code, stderr } = await command('export', file, '--force', '--format', 'ndjson');
      assert.equal(code, 2);
      assert.match(stderr, /not a regular file/);
    }
  });
});

describe('standard output that appends to the database', () => {
  it('is refused', () => {
    const before = contents();
    const output = openSync(database, 'a');
    const args = [program, 'export', model, 'items', '--database', `sqlite:${database}`];
    const { status, stderr } = spawnSync(process.execPath, args, { stdio: ['ignore', output, 'pipe'] });
    closeSync(output);
    assert.equal(status, 2, stderr.toString());
    assert.match(stderr.toString(), /standard output: it is the database/);
    assert.deepEqual(contents(), before);
  });
});
