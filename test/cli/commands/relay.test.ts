import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { run } from '../../../src/cli/program.ts';
import { temporaryDirectory } from '../../temporary-directory.ts';
import { recordedTerminal } from '../recorded-terminal.ts';

const MODEL = `
name: shop
events:
  relays:
    - { name: shop-events, redis: 'redis://:s3cret@127.0.0.1:6379' }
resources:
  products:
    events: full
    schema: { type: object, properties: { name: { type: string } } }
`;

/** Runs `relay` on the model. @returns the exit code, and standard error */
async function relay(context: TestContext, ...options: readonly string[]): Promise<readonly [number, string]> {
  const folder = temporaryDirectory(context);
  const model = path.join(folder, 'shop.yaml');
  writeFileSync(model, MODEL);
  const terminal = recordedTerminal();
  const code = await run(['relay', model, '--database', path.join(folder, 'shop.db'), ...options], terminal);
  return [code, terminal.written().stderr];
}

const REFUSED: readonly (readonly [options: string, message: RegExp])[] = [
  ['--from 1', /--to is missing; write the URL of a broker, or the name of a relay of the model/],
  ['--to shop-events', /--from is missing; write the sequence of the first event, such as 1/],
  ['--to shop-events --from 0', /--from: 0 is no sequence; write a whole number from 1/],
  ['--to shop-events --from 1 --until x', /--until: x is no sequence/],
  ['--to orders --from 1', /the model has no relay orders; it has shop-events/],
  ['--to ftp://u:s3cret@host --from 1', /the URL is of no broker; it starts with one of nats:\/\//],
  ['--to nats://u:s3cret@host --from 1 --destination shop.{tenant}', /\{tenant\}/],
  ['--to nats://u:s3cret@host --from 1 --types product.gone', /product\.gone matches no type of event/],
  ['--to nats://u:s3cret@host --from 1 --format xml', /xml is no format of events; use native or cloudevents/],
  ['--to shop-events --from 1 --types product.*', /are those of the relay in the model/],
];

describe('restwright relay', () => {
  for (const [options, message] of REFUSED)
    it(`[EVT-9e] refuses ${options.replace(/u:s3cret@/, '')}, without credentials in the message`, async (context) => {
      const [code, text] = await relay(context, ...options.split(' '));
      assert.equal(code, 2, text);
      assert.match(text, message);
      assert.doesNotMatch(text, /s3cret/);
    });

  it('[EVT-9e] does not create a database that is missing', async (context) => {
    const [code, text] = await relay(context, '--to', 'shop-events', '--from', '1');
    assert.equal(code, 1);
    assert.match(text, /shop\.db does not exist; select another one with --database/);
  });
});
