import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { gunzipSync } from 'node:zlib';
import Database from 'better-sqlite3';
import { root } from '../../scripts/command.ts';
import { run } from '../../src/cli/program.ts';
import { loadModel } from '../../src/model/compile/load-model.ts';
import { recordedTerminal } from '../cli/recorded-terminal.ts';
import { temporaryDirectory } from '../temporary-directory.ts';
import { readBlocks, readCodes, readPage, readRows } from './guide-pages.ts';

const UPGRADE = readPage('docs/guides/upgrade.md');
const SIZING = readPage('docs/guides/sizing.md');
const MODEL = 'name: shop\nresources:\n  tags: { schema: { type: object, properties: { title: { type: string } } } }\n';

/** A database of format 3, with the model of one of its tables. */
class OldDatabase {
  readonly #folder: string;
  readonly database: string;

  constructor(context: TestContext) {
    this.#folder = temporaryDirectory(context);
    this.database = path.join(this.#folder, 'shop.db');
    const file = path.join(root, 'test/stores/sqlite/schema/format-3.db.gz');
    writeFileSync(this.database, gunzipSync(readFileSync(file)));
    writeFileSync(path.join(this.#folder, 'shop.yaml'), MODEL);
  }

  /** Runs `migrate`. @returns what it printed */
  async migrate(...options: readonly string[]): Promise<string> {
    const terminal = recordedTerminal();
    await run(['migrate', path.join(this.#folder, 'shop.yaml'), '--database', this.database, ...options], terminal);
    const { stdout, stderr } = terminal.written();
    return stdout + stderr;
  }
}

describe('the guide to upgrade', () => {
  it('[OPS-4d] names the step of a new format, which is made once', async (context) => {
    const old = new OldDatabase(context);
    const [, step = ''] = /A step `([^`]+)` means a new format/.exec(UPGRADE) ?? [];
    assert.match(await old.migrate(), new RegExp(`^1\\. ${step}$`, 'm'));
    await old.migrate('--apply', '--allow-data-loss');
    assert.match(await old.migrate(), / matches /);
  });

  it('[OPS-4a] quotes how an older release refuses the format of a newer one', async (context) => {
    const old = new OldDatabase(context);
    new Database(old.database).exec("update restwright_meta set value = '999' where name = 'format'").close();
    const [, quoted = ''] = /\| is refused: `([^`]+)` \|/.exec(UPGRADE) ?? [];
    assert.ok(quoted.startsWith('It has format …'), quoted);
    const pattern = quoted.replaceAll('.', String.raw`\.`).replaceAll('…', String.raw`\d+`);
    assert.match(await old.migrate(), new RegExp(pattern));
  });
});

/** The number of Restwright in a row of a table of the benchmarks. @param heading the first cell of the table */
function measured(heading: string, row: string): number {
  const [, table = ''] = readPage('bench/README.md').split(`| ${heading} |`);
  const line = table.split('\n').find((each) => each.startsWith(`| ${row} |`)) ?? assert.fail(`${heading}: no ${row}`);
  return Number((line.split(' | ')[2] ?? '').replace(/ .*/, '').replaceAll(',', ''));
}

describe('the guide to sizing', () => {
  it('has the processor times of the benchmarks, and the requests of one core', () => {
    const rows = readRows(SIZING, '## Processor');
    assert.equal(rows.length, 6);
    for (const [name = '', time, rate] of rows) {
      const microseconds = measured('CPU time per response, µs', name);
      assert.equal(time, String(microseconds), name);
      assert.equal(rate, (Math.round(10_000 / microseconds) * 100).toLocaleString('en-US'), name);
    }
    const [, cores = ''] = /are ([\d.]+) cores/.exec(SIZING) ?? [];
    const of = (name: string): number => Number(rows.find(([row]) => row?.startsWith(name) === true)?.[1]);
    const used = 500 * of('page of 20, filtered') + 2_000 * of('item by id') + 100 * of('durable POST');
    assert.equal(cores, (used / 600_000).toFixed(1));
  });

  it('has the memory of the benchmarks', () => {
    const own = readPage('bench/README.md').split('| memory after all workloads, MiB |')[1] ?? '';
    const [, , , restwright = ''] = own.split('\n')[1]?.split('|') ?? [];
    assert.match(
      SIZING,
      new RegExp(`\\| after all workloads and overloads of the benchmark \\| ${restwright.trim()} \\|`),
    );
  });

  it('[LIM-1] has the limits of the server, and limits to set that a model may have', () => {
    const { model } = loadModel({ text: MODEL });
    const { bodyMemory, responseMemory, feeds } = model.limits;
    const defaults = new Map(
      [...SIZING.matchAll(/^\| (`[\w.]+`) \| ([\d,]+)(?: MiB)? \|/gm)].map(([, name, size = '']) => [
        readCodes(name)[0],
        Number(size.replaceAll(',', '')),
      ]),
    );
    assert.deepEqual(
      [...defaults],
      [
        ['body_memory', bodyMemory / 2 ** 20],
        ['response_memory', responseMemory / 2 ** 20],
        ['feeds.total', feeds.total],
      ],
    );
    const [block = ''] = readBlocks(SIZING, 'yaml');
    assert.equal(loadModel({ text: block + MODEL }).model.limits.feeds.total, 200);
  });
});
