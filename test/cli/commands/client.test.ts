import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { root } from '../../../scripts/command.ts';
import { run } from '../../../src/cli/program.ts';
import { printed, WRITTEN } from '../../client/written-declarations.ts';
import { recordedTerminal } from '../recorded-terminal.ts';

const folder = path.join(root, 'test', 'client', 'declarations');

describe('restwright client', () => {
  // These files are compiled with the tests, and test/types/declarations.test.ts compares them with the types that are
  // inferred.
  for (const [file, args] of Object.entries(WRITTEN))
    it(`writes the types of a contract: ${args.join(' ')}`, async () => {
      const text = await printed(args);
      assert.equal(
        text,
        readFileSync(path.join(folder, file), 'utf8'),
        `restwright client ${args.join(' ')} > ${file}`,
      );
      assert.doesNotMatch(text, /[ \t]$/m);
    });

  it('changes one line for a field that is made optional, in each declaration', async () => {
    const lines = (text: string): ReadonlySet<string> => new Set(text.split('\n'));
    const [newest, older] = [await printed(['stock.yaml']), await printed(['stock.yaml', '--api-version', '2.0'])];
    assert.deepEqual(
      [...lines(older).difference(lines(newest))],
      [
        '// Types of the API stock, version 2.0.0. Written by `restwright client`; do not edit.',
        "  readonly version: '2.0';",
      ],
    );
  });

  for (const version of ['1.2', '3', '2.0.x', 'x'])
    it(`names the versions that there are in place of ${version}`, async () => {
      const terminal = recordedTerminal();
      assert.equal(await run(['client', path.join(folder, 'stock.yaml'), '--api-version', version], terminal), 2);
      const { stdout, stderr } = terminal.written();
      assert.match(
        stderr,
        new RegExp(`does not serve version ${version}; it serves 2\\.1\\.0, 2\\.0\\.0, 1\\.3\\.0\\.\n$`),
      );
      assert.equal(stdout, '');
    });

  it('reports the errors of a model', async () => {
    const terminal = recordedTerminal();
    assert.equal(await run(['client', path.join(folder, 'none.yaml')], terminal), 2);
    assert.match(terminal.written().stderr, /cannot read the model/);
  });
});
