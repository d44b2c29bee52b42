import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { run } from '../../../src/cli/program.ts';
import { describeEvents } from '../../describe/asyncapi/described-events.ts';
import { temporaryDirectory } from '../../temporary-directory.ts';
import { recordedTerminal } from '../recorded-terminal.ts';

const MODEL = `
name: shop
version: 2.0.0
default_version: 2
resources:
  items: { schema: { type: object, properties: { name: { type: string } } } }
versions:
  1.4.0: { changes: [{ resource: items, rename: { title: name } }] }
`;

describe('restwright asyncapi', () => {
  it('[OPS-1b] prints the description that the server has, of any version that is served', async (context) => {
    const file = path.join(temporaryDirectory(context), 'shop.yaml');
    writeFileSync(file, MODEL);
    const asyncapi = async (...args: readonly string[]) => {
      const terminal = recordedTerminal();
      const code = await run(['asyncapi', file, ...args], terminal);
      return { code, ...terminal.written() };
    };
    const [newest, older] = describeEvents(MODEL);
    assert.deepEqual(await asyncapi(), { code: 0, stdout: `${JSON.stringify(newest, null, 2)}\n`, stderr: '' });
    assert.deepEqual(JSON.parse((await asyncapi('--api-version', '1')).stdout), older);
    const refused = await asyncapi('--api-version', '3');
    assert.deepEqual([refused.code, refused.stdout], [2, '']);
    assert.match(refused.stderr, /the model does not serve version '.*'; it serves 2\.0\.0, 1\.4\.0/);
  });
});
