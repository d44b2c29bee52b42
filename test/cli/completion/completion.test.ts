import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { after, before, describe, it } from 'node:test';
import { COMMANDS } from '../../../src/cli/command-table.ts';
import { run } from '../../../src/cli/program.ts';
import { programFile } from '../../installed-programs.ts';
import { recordedTerminal } from '../recorded-terminal.ts';

let folder = '';
before(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'completion-'));
  for (const shell of ['bash', 'zsh', 'fish'])
    writeFileSync(path.join(folder, `completion.${shell}`), await script(shell));
  mkdirSync(path.join(folder, 'work'));
  for (const name of ['shop.yaml', 'my model.yaml']) writeFileSync(path.join(folder, 'work', name), '');
});
after(() => rmSync(folder, { recursive: true }));

async function script(shell: string): Promise<string> {
  const terminal = recordedTerminal();
  assert.equal(await run(['completion', shell], terminal), 0);
  return terminal.written().stdout;
}

/** Runs a shell in the folder with the models. @returns its lines on standard output */
function shellLines(shell: string, args: readonly string[], input = ''): readonly string[] {
  const { stdout, stderr } = spawnSync(programFile(shell) ?? shell, args, {
    cwd: path.join(folder, 'work'),
    env: { ...process.env, HOME: folder },
    input,
    encoding: 'utf8',
    timeout: 20_000,
  });
  assert.equal(stderr, '');
  return stdout.split('\n').slice(0, -1);
}

/** Finds out if a shell is installed. Where it is not, the run says so: bash is everywhere, the others are not. */
function isInstalled(shell: string): boolean {
  const found = programFile(shell) !== null;
  if (!found) process.stderr.write(`NOT TESTED: ${shell} is not installed, its completion is untested; see .ci/run\n`);
  return found;
}

const COMMAND_NAMES = COMMANDS.map(({ name }) => name);
const optionsOf = (name: string): readonly string[] =>
  (COMMANDS.find((command) => command.name === name)?.options ?? []).map((option) => `--${option.name}`);

/** The completions at the end of a line. */
const completions: readonly (readonly [line: string, expected: readonly string[]])[] = [
  ['restwright ', [...COMMAND_NAMES, 'help']],
  ['restwright s', ['serve', 'schema']],
  ['restwright help ex', ['export']],
  ['restwright serve --', [...optionsOf('serve'), '--help']],
  ['restwright import --', [...optionsOf('import'), '--help']],
  ['restwright serve --in', ['--insecure-public']],
  ['restwright serve --port 0 --lo', ['--log']],
  ['restwright serve --log ', ['json', 'text']],
  ['restwright export shop.yaml products --format c', ['csv']],
  ['restwright completion ', ['bash', 'zsh', 'fish']],
  ['restwright serve ', ['shop.yaml', 'my model.yaml']],
  ['restwright serve --database sh', ['shop.yaml']],
];

describe('the completion of bash', () => {
  /** Completes as bash does: it calls the function that is registered for the command, with the words of the line. */
  const complete = (words: readonly string[]): readonly string[] => {
    const program = `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
      [[ $(complete -p restwright.js) == *_restwright* ]] && _restwright; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const lines = shellLines('bash', ['--norc', '-c', program, 'bash', path.join(folder, 'completion.bash'), ...words]);
    return lines.filter((line) => line !== '');
  };

  for (const [line, expected] of completions) {
    it(`completes ${line}`, () => {
      assert.deepEqual(complete(line.split(' ')).toSorted(), expected.toSorted());
    });
  }

  const positions: readonly (readonly [words: readonly string[], expected: readonly string[]])[] = [
    [['bin/restwright.js', 'check', 'my'], ['my model.yaml']],
    [
      ['restwright', 'export', 'shop.yaml', 'products', '--format', '=', ''],
      ['csv', 'json', 'ndjson'],
    ],
    [['restwright', 'export', '--format', '=', 'csv', 'sh'], ['shop.yaml']],
    [['restwright', 'import', 'shop.yaml', ''], []],
    [['restwright', 'import', 'shop.yaml', 'products', 'sh'], ['shop.yaml']],
    [['restwright', 'serve', '--port', ''], []],
    [['restwright', 'serve', 'shop.yaml', ''], []],
    [['restwright', 'schema', ''], []],
  ];
  for (const [words, expected] of positions) {
    it(`completes ${JSON.stringify(words)} with ${JSON.stringify(expected)}`, () => {
      assert.deepEqual(complete(words).toSorted(), expected);
    });
  }
});

if (isInstalled('fish'))
  describe('the completion of fish', () => {
    const complete = (line: string): readonly string[] => {
      const program = `source $argv[1]; complete -C "$argv[2]"`;
      const lines = shellLines('fish', ['--no-config', '-c', program, path.join(folder, 'completion.fish'), line]);
      return lines.map((each) => each.split('\t')[0] ?? '');
    };

    for (const [line, expected] of completions) {
      it(`completes ${line}`, () => {
        assert.deepEqual(
          complete(line)
            .map((word) => word.replaceAll('\\', ''))
            .toSorted(),
          expected.toSorted(),
        );
      });
    }

    it('completes the name that the command has in a checkout', () => {
      assert.deepEqual(complete('restwright.js exp'), ['export']);
    });
  });

if (isInstalled('zsh'))
  describe('the completion of zsh', () => {
    it('completes commands, options, values and files as they are typed', () => {
      const typed = [
        'restwright seTAB shTAB',
        'restwright imTAB shop.yaml products x --foTABcsTAB --no-TAB',
        'restwright serve --datTABshTAB',
        'restwright serve --inTAB --lTABtTAB',
        'restwright completion zTAB',
        'restwright heTAB expTAB',
      ];
      const program = path.join(import.meta.dirname, 'complete.zsh');
      const args = ['-f', program, path.join(folder, 'completion.zsh'), path.join(folder, 'work')];
      assert.deepEqual(shellLines('zsh', args, `${typed.join('\n')}\n`), [
        'serve shop.yaml',
        'import shop.yaml products x --format=csv --no-events',
        'serve --database=shop.yaml',
        'serve --insecure-public --log=text',
        'completion zsh',
        'help export',
      ]);
    });
  });

describe('restwright completion', () => {
  it('refuses another shell, and names those that it knows', async () => {
    const terminal = recordedTerminal();
    assert.equal(await run(['completion', 'powershell'], terminal), 2);
    assert.match(terminal.written().stderr, /'powershell' is not a supported shell; use bash, zsh, fish\./);
  });

  for (const shell of ['bash', 'zsh', 'fish']) {
    it(`has every command and every option for ${shell}`, async () => {
      const text = await script(shell);
      const names = COMMANDS.flatMap(({ name, options }) => [name, ...options.map((option) => option.name)]);
      assert.deepEqual(
        names.filter((name) => !new RegExp(`\\b${name}\\b`).test(text)),
        [],
      );
    });
  }
});
