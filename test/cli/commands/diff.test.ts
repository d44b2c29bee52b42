import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { run } from '../../../src/cli/program.ts';
import YAML from 'yaml';
import { describedContracts } from '../../../src/describe/described-contract.ts';
import { openApiDocument } from '../../../src/describe/openapi/open-api-document.ts';
import { loadModel } from '../../../src/model/compile/load-model.ts';
import { temporaryDirectory } from '../../temporary-directory.ts';
import { recordedTerminal } from '../recorded-terminal.ts';

const OLD = `name: shop
version: 1.4.0
limits: { page: { max: 100 } }
resources:
  products:
    schema:
      type: object
      required: [name]
      properties:
        name: { type: string }
        price: { type: number, maximum: 1000 }
        currency: { type: string, enum: [EUR, USD] }
`;
const BREAKING = OLD.replace('1000', '100');
const ADDITION = OLD.replace('max: 100', 'max: 200').replace('USD]', 'USD, "<b>"]');
const BEHAVIOUR = OLD.replace('name: { type: string }', 'name: { type: string, description: The name }');

const at = (version: string, text: string): string => text.replace('1.4.0', version);

interface Printed {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `diff` or `check --published` on two models, which are files named `old.yaml` and `new.yaml`. */
async function compare(
  context: TestContext,
  [was, is]: readonly [string, string],
  args: readonly string[],
): Promise<Printed> {
  const folder = temporaryDirectory(context);
  writeFileSync(path.join(folder, 'old.yaml'), was);
  writeFileSync(path.join(folder, 'new.yaml'), is);
  const terminal = recordedTerminal();
  const code = await run(
    args.map((each) => (each.endsWith('.yaml') ? path.join(folder, each) : each)),
    terminal,
  );
  const { stdout, stderr } = terminal.written();
  return { code, stdout: stdout.replaceAll(`${folder}/`, ''), stderr: stderr.replaceAll(`${folder}/`, '') };
}

const diff = (
  context: TestContext,
  models: readonly [string, string],
  ...options: readonly string[]
): Promise<Printed> => compare(context, models, ['diff', 'old.yaml', 'new.yaml', ...options]);
const check = (
  context: TestContext,
  models: readonly [string, string],
  ...options: readonly string[]
): Promise<Printed> => compare(context, models, ['check', 'new.yaml', '--published', 'old.yaml', ...options]);

/** The description that a model has, as a file of this format. */
function publishedAs(format: 'json' | 'yaml', model: string): string {
  const [newest] = describedContracts(loadModel({ file: 'old.yaml', text: model }).model);
  const document = openApiDocument(newest ?? assert.fail(), '3.1');
  return format === 'json' ? JSON.stringify(document) : YAML.stringify(document);
}

describe('restwright diff of a description', () => {
  it('[VER-6a] compares a published description with a model, a model with one, and two', async (context) => {
    const changed = at('1.5.0', BREAKING);
    const [was, is] = [publishedAs('json', OLD), publishedAs('yaml', changed)];
    for (const files of [
      [was, changed],
      [OLD, is],
      [was, is],
    ] as const) {
      const { code, stdout } = await diff(context, files);
      assert.match(
        stdout,
        /^products\n {2}major {2}ProductCreate\.price: the maximum is 100, was 1000 \(breaks requests\)\n/,
      );
      assert.match(stdout, /note descriptions were compared, which do not say [^]*needs 2\.0\.0\n$/);
      assert.equal(code, 1);
    }
  });

  it('[VER-6a] finds no difference of a model from its own description', async (context) => {
    for (const format of ['json', 'yaml'] as const) {
      const { code, stdout } = await diff(context, [publishedAs(format, OLD), OLD]);
      assert.match(stdout, /^no differences that clients can see\n[^]*version 1\.4\.0 -> 1\.4\.0 is enough\n$/);
      assert.equal(code, 0);
    }
  });

  it('[VER-6a] names a description as one in JSON, and has Markdown', async (context) => {
    const files = [publishedAs('json', OLD), at('1.5.0', BREAKING)] as const;
    const { stdout } = await diff(context, files, '--json');
    const { old, new: now, differences } = JSON.parse(stdout);
    assert.deepEqual(
      [old, now],
      [
        { description: 'old.yaml', version: '1.4.0' },
        { model: 'new.yaml', version: '1.5.0' },
      ],
    );
    assert.deepEqual(
      differences.find(({ needs }: { needs: string }) => needs === 'major'),
      {
        kind: 'values-narrower',
        resource: 'products',
        path: 'ProductCreate.price',
        what: 'the maximum is 100, was 1000',
        requests: 'breaking',
        responses: 'none',
        needs: 'major',
      },
    );
    assert.match(
      (await diff(context, files, '--markdown')).stdout,
      /### Breaking\n\n- `ProductCreate\.price`: the maximum/,
    );
  });

  it('[VER-6b] check --published takes one', async (context) => {
    const { code, stdout } = await check(context, [publishedAs('json', OLD), at('1.5.0', BREAKING)]);
    assert.match(
      stdout,
      /too low for the changes since the published version 1\.4\.0: ProductCreate\.price: the maximum is 100/,
    );
    assert.equal(code, 1);
  });

  const broken: readonly (readonly [text: string, message: RegExp])[] = [
    [
      'swagger: "2.0"\ninfo: { version: 1.0.0 }',
      /^error: old\.yaml cannot be compared: its version of OpenAPI is 2\.0; convert it/,
    ],
    ['openapi: 3.1.0\npaths: [', /^error: the old description is not valid:\nold\.yaml:\d+:\d+/],
    [
      'openapi: 3.1.0\ninfo: { version: 1.0.0 }\npaths: { /a: { $ref: "b.yaml" } }',
      /^error: old\.yaml and new\.yaml cannot be compared: the reference "?b\.yaml"? leads to another document/,
    ],
  ];
  for (const [text, message] of broken) {
    it(`[VER-6a] refuses a description that cannot be compared: ${message.source}`, async (context) => {
      const { code, stdout, stderr } = await diff(context, [text, OLD]);
      assert.match(stderr, message);
      assert.deepEqual([code, stdout], [1, '']);
    });
  }
});

describe('restwright diff', () => {
  it('[VER-6a] names what differs, what it breaks and the version that it needs', async (context) => {
    const printed = await diff(context, [OLD, at('1.5.0', ADDITION.replace('1000', '100'))]);
    assert.equal(
      printed.stdout,
      `the API
  minor  limits.page.max: the largest limit is 200, was 100

products
  major  products.price: the maximum is 100, was 1000 (breaks requests)
  minor  products.currency: also allows "<b>" (may break responses)

stored rows
  products: checks price: the maximum is 100, was 1000 (needs consent: rows that break it)

version 1.4.0 -> 1.5.0 is not enough: needs 2.0.0
`,
    );
    assert.deepEqual([printed.code, printed.stderr], [1, '']);
  });

  const verdicts: readonly (readonly [changes: string, version: string, code: number, verdict: string])[] = [
    [OLD, '1.4.0', 0, 'version 1.4.0 -> 1.4.0 is enough'],
    [OLD, '1.3.9', 1, 'version 1.4.0 -> 1.3.9 is not enough: needs 1.4.0'],
    [BEHAVIOUR, '1.4.0', 1, 'version 1.4.0 -> 1.4.0 is not enough: needs 1.4.1'],
    [BEHAVIOUR, '1.4.1', 0, 'version 1.4.0 -> 1.4.1 is enough'],
    [ADDITION, '1.4.9', 1, 'version 1.4.0 -> 1.4.9 is not enough: needs 1.5.0'],
    [ADDITION, '1.5.0', 0, 'version 1.4.0 -> 1.5.0 is enough'],
    [BREAKING, '1.9.0', 1, 'version 1.4.0 -> 1.9.0 is not enough: needs 2.0.0'],
    [BREAKING, '2.0.0', 0, 'version 1.4.0 -> 2.0.0 is enough'],
  ];
  for (const [changes, version, code, verdict] of verdicts) {
    it(`[VER-6a] ends with the verdict: ${verdict}`, async (context) => {
      const printed = await diff(context, [OLD, at(version, changes)]);
      assert.equal(printed.stdout.split('\n').at(-2), verdict);
      assert.equal(printed.code, code);
    });
  }

  it('[VER-6a] counts with --strict what may break clients as breaking', async (context) => {
    const { code, stdout } = await diff(context, [OLD, at('1.5.0', ADDITION)], '--strict');
    assert.match(stdout, /major {2}products\.currency: [^]*needs 2\.0\.0\n$/);
    assert.equal(code, 1);
  });

  it('[VER-6a] prints a changelog in Markdown, without markup of the model', async (context) => {
    const { stdout } = await diff(context, [OLD, at('2.0.0', ADDITION.replace('1000', '100'))], '--markdown');
    assert.equal(
      stdout,
      `## 2.0.0

Changes since 1.4.0.

### Breaking

- the version of requests that name none is 2, was 1 (breaks requests, breaks responses)
- \`products.price\`: the maximum is 100, was 1000 (breaks requests)

### May break strict clients

- \`products.currency\`: also allows "\\<b\\>" (may break responses)

### Added

- \`limits.page.max\`: the largest limit is 200, was 100

### Stored rows

- \`products\`: checks price: the maximum is 100, was 1000 (needs consent: rows that break it)
`,
    );
  });

  it('[VER-6a] prints the result as JSON', async (context) => {
    const { stdout } = await diff(context, [OLD, at('1.5.0', BREAKING)], '--json');
    assert.deepEqual(JSON.parse(stdout), {
      old: { model: 'old.yaml', version: '1.4.0' },
      new: { model: 'new.yaml', version: '1.5.0' },
      ok: false,
      needs: 'major',
      needed_version: '2.0.0',
      differences: [
        {
          kind: 'values-narrower',
          resource: 'products',
          path: 'products.price',
          what: 'the maximum is 100, was 1000',
          requests: 'breaking',
          responses: 'compatible',
          needs: 'major',
        },
      ],
      notes: [],
      rows: [
        {
          resource: 'products',
          version: null,
          change: 'unlisted',
          effect: 'checks',
          from: ['price'],
          to: [],
          what: 'price: the maximum is 100, was 1000',
          consent: 'rows that break it',
          reversible: true,
        },
      ],
    });
  });

  it('[VER-6a] [VER-5c] says what the step does to stored rows, as check --published does', async (context) => {
    const rename = (fields: string): string =>
      OLD.replace('name: { type: string }', fields).replace('[name]', '[title]').replace('[EUR, USD]', '[ANY]');
    const newest = `${at('2.0.0', rename('title: { type: string }\n        size: { type: integer }'))}default_version: 1
versions:
  1.4.0: { changes: [{ resource: products, rename: { name: title } }, { resource: products, without: [size] }, { resource: products, values: { currency: { EUR: ANY, USD: ANY } }, default_out: { currency: EUR } }] }
`;
    const rows = `stored rows
  products: renames name to title
  products: adds size
  products: maps values of currency (EUR to ANY, USD to ANY) (needs consent: rows with USD would show another value in 1.4.0; cannot be reversed)
`;
    const printed = await diff(context, [OLD, newest]);
    assert.ok(printed.stdout.includes(`\n${rows}\nversion 1.4.0 -> 2.0.0 is enough`), printed.stdout + printed.stderr);
    assert.ok((await check(context, [OLD, newest])).stdout.includes(`new.yaml is valid\n\n${rows}`));
    const { published } = JSON.parse((await check(context, [OLD, newest], '--json')).stdout);
    assert.deepEqual(
      published.rows.map(({ change }: { change: string }) => change),
      ['rename', 'without', 'values'],
    );
    const described = await diff(context, [publishedAs('json', OLD), newest]);
    assert.ok(!described.stdout.includes('stored rows'), described.stdout);
  });

  it('has colours on terminals, unless NO_COLOR is set', async (context) => {
    const folder = temporaryDirectory(context);
    const file = path.join(folder, 'shop.yaml');
    writeFileSync(file, OLD);
    const printed = async (env: Record<string, string>): Promise<string> => {
      const terminal = recordedTerminal(env);
      await run(['diff', file, file], { ...terminal, stdout: { ...terminal.stdout, isTTY: true } });
      return terminal.written().stdout;
    };
    const plain = await printed({ NO_COLOR: '1' });
    const coloured = await printed({});
    assert.notEqual(coloured, plain);
    assert.equal(stripVTControlCharacters(coloured), plain);
    assert.equal(stripVTControlCharacters(plain), plain);
  });

  it('says which of the two models is invalid, and the line', async (context) => {
    const invalid = OLD.replace('type: number', 'type: numbr');
    const is = await diff(context, [OLD, invalid]);
    assert.match(is.stderr, /^error: the new model is not valid:\nnew\.yaml:11:\d+: /);
    const was = await diff(context, [invalid, OLD]);
    assert.match(was.stderr, /^error: the old model is not valid:\nold\.yaml:11:\d+: /);
    assert.deepEqual([is.code, was.code, is.stdout], [1, 1, '']);
  });

  it('refuses incorrect usage', async (context) => {
    const missing = await compare(context, [OLD, OLD], ['diff', 'old.yaml', 'none.yaml']);
    assert.match(missing.stderr, /the new model: cannot read the model none\.yaml: no such file/);
    const both = await diff(context, [OLD, OLD], '--json', '--markdown');
    assert.match(both.stderr, /--json and --markdown cannot be combined; pass one of them/);
    assert.deepEqual([missing.code, both.code], [2, 2]);
  });
});

describe('restwright check --published', () => {
  it('[VER-6b] refuses a breaking change without a new major version', async (context) => {
    const { code, stdout } = await check(context, [OLD, at('1.5.0', BREAKING)]);
    assert.equal(
      stdout.split('\n')[0],
      'error new.yaml: version: version 1.5.0 is too low for the changes since the published version 1.4.0: ' +
        'products.price: the maximum is 100, was 1000 (breaks requests); write version: 2.0.0, or undo the changes; `restwright diff` lists all of them',
    );
    assert.match(stdout, /new\.yaml has 1 error\n/);
    assert.equal(code, 1);
  });

  it('[VER-6b] refuses an addition without a new minor version, and a lower version', async (context) => {
    const addition = await check(context, [OLD, at('1.4.1', ADDITION)]);
    assert.match(addition.stdout, /^error .*largest limit is 200.*write version: 1\.5\.0/);
    const lower = await check(context, [OLD, at('1.3.0', BEHAVIOUR)]);
    assert.match(lower.stdout, /^error .*version 1\.3\.0 is lower than the published version 1\.4\.0/);
    assert.deepEqual([addition.code, lower.code], [1, 1]);
  });

  it('[VER-6b] accepts the version that the changes need, and warns of a missing patch', async (context) => {
    const breaking = await check(context, [OLD, at('2.0.0', BREAKING)]);
    assert.match(breaking.stdout, /^new\.yaml is valid\n/);
    const behaviour = await check(context, [OLD, BEHAVIOUR]);
    assert.match(
      behaviour.stdout,
      /^warning version 1\.4\.0 is too low .*the description is another one; write 1\.4\.1\n/,
    );
    assert.deepEqual([breaking.code, behaviour.code], [0, 0]);
  });

  it('[VER-6b] names five changes at most', async (context) => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => `        ${name}: { type: string }\n`).join('');
    const { stdout } = await check(context, [OLD + names, OLD]);
    assert.match(stdout, /products\.e: was removed \(breaks requests, breaks responses\); and 2 more;/);
  });

  it('[VER-6a] has the differences in its JSON', async (context) => {
    const { stdout } = await check(context, [OLD, at('1.5.0', BREAKING)], '--json');
    const { ok, faults, published } = JSON.parse(stdout);
    assert.deepEqual(
      [ok, faults[0].path, published.needs, published.old.version],
      [false, 'version', 'major', '1.4.0'],
    );
  });

  it('says that it is the published model that is invalid', async (context) => {
    const { code, stderr } = await check(context, ['name: shop', OLD]);
    assert.match(stderr, /^error: the published model is not valid:\nold\.yaml:1:1: /);
    assert.equal(code, 1);
  });
});
