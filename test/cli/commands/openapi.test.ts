import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { run } from '../../../src/cli/program.ts';
import { isJsonObject, type JsonObject } from '../../../src/conventions/json/json.ts';
import { contradictions, member, listObjects } from '../../describe/openapi/consistency.ts';
import { describeVersions } from '../../describe/openapi/described.ts';
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

function command(test: TestContext): (...args: readonly string[]) => Promise<ReturnType<typeof written>> {
  const file = path.join(temporaryDirectory(test), 'shop.yaml');
  writeFileSync(file, MODEL);
  return async (...args) => {
    const terminal = recordedTerminal();
    return written(await run(['openapi', file, ...args], terminal), terminal);
  };
}

function written(code: number, terminal: ReturnType<typeof recordedTerminal>) {
  return { code, ...terminal.written() };
}

describe('restwright openapi', () => {
  it('[OPS-1a] prints the description that the server has, a member a line', async (test) => {
    const openapi = command(test);
    const [newest, older] = describeVersions(MODEL);
    const { code, stdout } = await openapi();
    assert.equal(code, 0);
    assert.equal(stdout, `${JSON.stringify(newest, null, 2)}\n`);
    for (const version of ['1', '1.4', '1.4.7'])
      assert.deepEqual(JSON.parse((await openapi('--api-version', version)).stdout), older, version);
    const [later] = describeVersions(MODEL, '3.2');
    assert.deepEqual(JSON.parse((await openapi('--openapi', '3.2')).stdout), later);
  });

  it('[OPS-1a] refuses a version that is not served, and an unknown version of OpenAPI', async (test) => {
    const openapi = command(test);
    for (const version of ['3', '1.5', 'v1', '']) {
      const { code, stdout, stderr } = await openapi('--api-version', version);
      assert.deepEqual([code, stdout], [2, '']);
      assert.match(stderr, /the model does not serve version '.*'; it serves 2\.0\.0, 1\.4\.0/);
    }
    const { code, stderr } = await openapi('--openapi', '2.0');
    assert.equal(code, 2);
    assert.match(stderr, /use 3\.1 or 3\.2/);
  });

  it('[OPS-1e] prints the description for generators, and refuses another profile', async (test) => {
    const openapi = command(test);
    const document: JsonObject = JSON.parse((await openapi('--for', 'generators')).stdout);
    assert.deepEqual(contradictions(document), []);
    const parameters = Object.keys(member(member(document, 'components'), 'parameters'));
    assert.ok(parameters.some((name) => name.endsWith('.filters')));
    const [full] = describeVersions(MODEL);
    assert.deepEqual(JSON.parse((await openapi('--for', 'full')).stdout), full);
    const { code, stderr } = await openapi('--for', 'people');
    assert.equal(code, 2);
    assert.match(stderr, /--for: 'people' is not a supported profile; use full or generators/);
  });

  it('[OPS-1a] prints one media type alone, with what still belongs to it', async (test) => {
    const openapi = command(test);
    const document: JsonObject = JSON.parse((await openapi('--media-type', 'application/json')).stdout);
    const types = [...listObjects(document)].flatMap(([, { content }]) =>
      isJsonObject(content) ? [Object.keys(content)] : [],
    );
    assert.ok(types.length > 20, String(types.length));
    // The body of a QUERY and /llms.txt have one type each, which is not JSON.
    const kept = ['application/json', 'application/x-www-form-urlencoded', 'text/plain'];
    assert.deepEqual([...new Set(types.flat())].toSorted(), kept);
    assert.ok(types.every((each) => each.length === 1));
    assert.deepEqual(contradictions(document), []);
    assert.ok(!('ApiProblem' in member(member(document, 'components'), 'schemas')));
    const { code, stdout, stderr } = await openapi('--media-type', 'application/pdf');
    assert.deepEqual([code, stdout], [2, '']);
    assert.match(stderr, /no body has the media type 'application\/pdf'; use a media type of the description/);
  });
});
