import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { run } from '../../../src/cli/program.ts';
import { temporaryDirectory } from '../../temporary-directory.ts';
import { recordedTerminal } from '../recorded-terminal.ts';

const VALID =
  'name: shop\nresources:\n  issues:\n    schema: { type: object, properties: { title: { type: string } } }\n';
const INVALID = VALID.replace('type: string', 'type: decimal');

function modelFile(context: TestContext, text: string): string {
  const file = path.join(temporaryDirectory(context), 'shop.yaml');
  writeFileSync(file, text);
  return file;
}

describe('restwright check', () => {
  it('[ERR-2] prints the names that derive from those of the resources, and no warning for a plain model', async (context) => {
    const file = modelFile(context, VALID);
    const terminal = recordedTerminal();
    assert.equal(await run(['check', file], terminal), 0);
    assert.equal(
      terminal.written().stdout,
      `${file} is valid\n\n  collection  singular  error codes\n  /issues     issue     ISSUE_NOT_FOUND ...\n`,
    );
    const json = recordedTerminal();
    await run(['check', file, '--json'], json);
    assert.deepEqual(JSON.parse(json.written().stdout).names, [
      { resource: 'issues', collection: 'issues', path: '/issues', singular: 'issue', error_prefix: 'ISSUE' },
    ]);
  });

  it('prints the whole path of a resource below another one', async (context) => {
    const file = modelFile(
      context,
      `${VALID}  comments: { parent: issues, schema: { type: object, properties: {} } }\n`,
    );
    const terminal = recordedTerminal();
    assert.equal(await run(['check', file], terminal), 0);
    assert.match(terminal.written().stdout, /^ {2}\/issues\/\{issue_id\}\/comments +comment +COMMENT_NOT_FOUND/m);
  });

  it('shows the line of an error with a mark under it, and the type that is meant', async (context) => {
    const file = modelFile(context, INVALID);
    const terminal = recordedTerminal();
    assert.equal(await run(['check', file], terminal), 1);
    assert.equal(
      terminal.written().stdout,
      [
        `error ${file}:4:52: resources.issues.schema.properties.title.type: there is no type of this name; write type: string, format: decimal`,
        '  3 |   issues:',
        '  4 |     schema: { type: object, properties: { title: { type: decimal } } }',
        `    | ${' '.repeat(51)}^`,
        `${file} has 1 error`,
        '',
      ].join('\n'),
    );
  });

  it('cuts a long line around the error', async (context) => {
    const file = modelFile(context, INVALID.replace('title:', `${'a'.repeat(300)}: { type: string }, title:`));
    const terminal = recordedTerminal();
    await run(['check', file], terminal);
    const [, , source = '', mark = ''] = terminal.written().stdout.split('\n');
    assert.ok(source.length <= 110, source);
    assert.equal(source.slice(mark.indexOf('^')).startsWith('type: decimal'), true, source);
  });

  const versioned = VALID.replace(
    'resources:',
    'version: 2.0.0\ndefault_version: 2\nversions:\n  1.1.0: { sunset: 2028-06-01 }\n  1.0.0: { sunset: 2027-01-01, retired: true }\nresources:',
  );
  const sunsets: readonly (readonly [date: string, when: string | null])[] = [
    ['2028-05-01', null],
    ['2028-05-02', 'in 30 days'],
    ['2028-05-31', 'in 1 day'],
    ['2028-06-01', 'today'],
    ['2028-06-02', '1 day ago'],
    ['2029-06-01', '365 days ago'],
  ];
  for (const [date, when] of sunsets) {
    it(`[VER-4b] --date ${date} warns of a sunset that is near or past, until the version is retired: ${when}`, async (context) => {
      const file = modelFile(context, versioned);
      const terminal = recordedTerminal();
      assert.equal(await run(['check', file, '--date', date], terminal), 0);
      const warnings = terminal.written().stdout.match(/^warning .*$/gm) ?? [];
      const warning = `warning versions["1.1.0"]: its sunset is 2028-06-01, ${when}, and it is served until retired: true is set`;
      assert.deepEqual(warnings, when === null ? [] : [warning]);
    });
  }

  it('[AUTH-8a] warns where no audience of an issuer is the URL of the API', async (context) => {
    const issuer = (audience: string): string =>
      `{ issuer: https://id.example.com, hs256_secret: 0123456789abcdef0123456789abcdef, audience: ${audience} }`;
    const url = 'https://shop.example.com/api';
    for (const [audience, isWarned] of [
      ['shop', true],
      [url, false],
      [`[shop, ${url}]`, false],
    ] as const) {
      const auth = `public_url: https://shop.example.com\nauth: { issuers: [${issuer(audience)}] }\nresources:`;
      const terminal = recordedTerminal();
      assert.equal(await run(['check', modelFile(context, VALID.replace('resources:', auth))], terminal), 0);
      const { stdout } = terminal.written();
      assert.equal(
        stdout.includes(`warning auth: no audience of its issuers is ${url}, the resource`),
        isWarned,
        stdout,
      );
    }
  });

  it('[VER-4b] without --date says nothing of sunsets, and refuses what is no date', async (context) => {
    const file = modelFile(context, versioned.replace('2028', '2001'));
    const silent = recordedTerminal();
    await run(['check', file], silent);
    assert.doesNotMatch(silent.written().stdout, /sunset/);
    for (const date of ['tomorrow', '2028-02-30', '2028-6-1']) {
      const terminal = recordedTerminal();
      assert.equal(await run(['check', file, '--date', date], terminal), 2);
      assert.match(terminal.written().stderr, /is not a valid date; use one such as 2028-06-01\./);
    }
  });

  it('with --watch checks again after each change, until a signal', async (context) => {
    const file = modelFile(context, INVALID);
    const terminal = recordedTerminal();
    const checking = run(['check', file, '--watch'], terminal);
    const until = async (text: string): Promise<void> => {
      while (!terminal.written().stdout.includes(text)) await setTimeout(5);
    };
    await until('has 1 error');
    writeFileSync(file, VALID);
    await until('is valid');
    writeFileSync(file, INVALID.replace('object', 'objekt'));
    await until('has 2 errors');
    terminal.stop.abort('SIGINT');
    assert.equal(await checking, 0);
  });
});
