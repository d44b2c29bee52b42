import assert from 'node:assert/strict';
import { appendFileSync, chmodSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { describe, it, type TestContext } from 'node:test';
import { openVerifier } from '../../../src/auth/open-verifier.ts';
import type { TokenVerdict } from '../../../src/auth/token-verifier.ts';
import { run } from '../../../src/cli/program.ts';
import { loadModel } from '../../../src/model/compile/load-model.ts';
import { temporaryDirectory } from '../../temporary-directory.ts';
import { recordedTerminal } from '../recorded-terminal.ts';

const MODEL = 'name: shop\nresources:\n  items:\n    schema: { type: object }\n';

function folderWith(test: TestContext, model = MODEL): { readonly folder: string; readonly model: string } {
  const folder = temporaryDirectory(test);
  const file = path.join(folder, 'shop.yaml');
  writeFileSync(file, model);
  return { folder, model: file };
}

async function runToken(
  ...args: readonly string[]
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  const terminal = recordedTerminal();
  const code = await run(['token', ...args], terminal);
  return { code, ...terminal.written() };
}

/** The verdict of the model, as it is now, on a token. */
async function judgeToken(model: string, token: string): Promise<TokenVerdict> {
  const { auth } = loadModel({ text: readFileSync(model, 'utf8') }).model;
  assert.ok(auth !== null);
  const verifier = await openVerifier({
    auth,
    folder: path.dirname(model),
    now: () => Date.now(),
    elapsed: () => 0,
    fetch,
    observe: ({ kind }) => assert.fail(kind),
  });
  return verifier.verify(token);
}

const claimsOf = (token: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());

describe('restwright token', () => {
  it('[AUTH-1b] makes a key pair once, and prints a token and the lines by which the model accepts it', async (test) => {
    const { folder, model } = folderWith(test);
    const args = ['--sub', 'ann', '--scope', 'items:read items:write', '--client', 'curl'];
    const first = await runToken(model, ...args);
    assert.equal(first.code, 0);
    assert.match(first.stdout, /^[\w-]+\.[\w-]+\.[\w-]+\n$/);
    const [, lines = ''] = /\n\n(auth:\n.*?)\n\n/s.exec(first.stderr) ?? [];
    appendFileSync(model, `${lines}\n`);
    const verdict = await judgeToken(model, first.stdout.trim());
    assert.ok(verdict.kind === 'verified', JSON.stringify(verdict));
    const { issuer, subject, client, scopes } = verdict.token;
    assert.deepEqual([issuer, subject, client, [...scopes]], ['dev', 'ann', 'curl', ['items:read', 'items:write']]);
    const second = await runToken(model, ...args);
    assert.deepEqual([second.code, second.stderr], [0, '']);
    assert.equal((await judgeToken(model, second.stdout.trim())).kind, 'verified');
    if (process.platform !== 'win32')
      assert.equal(statSync(path.join(folder, 'restwright-dev-key.json')).mode & 0o777, 0o600);
    assert.doesNotMatch(readFileSync(path.join(folder, 'restwright-dev-jwks.json'), 'utf8'), /"d"/);
  });

  it('[AUTH-1b] speaks of scopes and client as the model has them', async (test) => {
    const issuer = 'name: a, issuer: "urn:a", audience: [b, c], scope_claim: scp, client_claim: azp';
    const { model } = folderWith(
      test,
      `${MODEL}auth: { issuers: [{ ${issuer}, jwks_file: restwright-dev-jwks.json }] }\n`,
    );
    const { stdout } = await runToken(model, '--sub', 'ann', '--scope', 'x', '--client', 'y', '--expires', '5m');
    const { iss, aud, scp, azp, iat, exp } = claimsOf(stdout);
    assert.deepEqual([iss, aud, scp, azp, Number(exp) - Number(iat)], ['urn:a', 'b', 'x', 'y', 300]);
    assert.equal((await judgeToken(model, stdout.trim())).kind, 'verified');
  });

  for (const [auth, part] of [
    ['{ api_keys: true }', 'the last two of '],
    ["{ issuers: [{ name: a, issuer: 'urn:a', jwks_file: keys.json, audience: b }] }", 'the last one of '],
  ] as const)
    it(`[AUTH-1b] names the lines that a model with auth lacks: ${auth}`, async (test) => {
      const { model } = folderWith(test, `${MODEL}auth: ${auth}\n`);
      const { stderr } = await runToken(model, '--sub', 'ann');
      assert.match(stderr, new RegExp(`not accept this token yet\\. Add ${part}these lines`));
    });

  it('[AUTH-1b] replaces the public key with the private one', async (test) => {
    const { folder, model } = folderWith(test);
    const { stderr } = await runToken(model, '--sub', 'ann');
    appendFileSync(model, `${/\n\n(auth:\n.*?)\n\n/s.exec(stderr)?.[1] ?? ''}\n`);
    rmSync(path.join(folder, 'restwright-dev-key.json'));
    const { stdout } = await runToken(model, '--sub', 'ann');
    assert.equal((await judgeToken(model, stdout.trim())).kind, 'verified');
  });

  const refused: readonly (readonly [title: string, args: readonly string[], message: RegExp])[] = [
    ['no subject', [], /Missing --sub\. Pass the subject of the token/],
    ['an empty subject', ['--sub', ''], /--sub: use 1 to 255 characters/],
    ['a client with a line break', ['--sub', 'a', '--client', 'a\nb'], /--client: use 1 to 255/],
    ['a time without a unit', ['--sub', 'a', '--expires', '60'], /--expires: '60' is not a valid duration/],
    ['no time', ['--sub', 'a', '--expires', '0s'], /--expires: '0s' is not/],
  ];
  for (const [title, args, message] of refused) {
    it(`[AUTH-1b] refuses ${title}`, async (test) => {
      const { code, stdout, stderr } = await runToken(folderWith(test).model, ...args);
      assert.deepEqual([code, stdout], [2, '']);
      assert.match(stderr, message);
    });
  }

  it('[AUTH-1b] refuses a private key that others can read, and what is no key', async (test) => {
    const { folder, model } = folderWith(test);
    await runToken(model, '--sub', 'ann');
    const file = path.join(folder, 'restwright-dev-key.json');
    if (process.platform !== 'win32') {
      chmodSync(file, 0o644);
      const { code, stderr } = await runToken(model, '--sub', 'ann');
      assert.equal(code, 1);
      assert.match(stderr, /chmod 600/);
      chmodSync(file, 0o600);
    }
    writeFileSync(file, '{"kty":"RSA"}');
    const { code, stderr } = await runToken(model, '--sub', 'ann');
    assert.equal(code, 1);
    assert.match(stderr, /is not an ES256 key/);
  });
});

describe('restwright check', () => {
  it('[AUTH-2b] names a file with keys that cannot be used', async (test) => {
    const issuer = '{ name: a, issuer: "urn:a", audience: b, jwks_file: keys.json }';
    const { folder, model } = folderWith(test, `${MODEL}auth: { issuers: [${issuer}] }\n`);
    const check = async (): Promise<string> => {
      const terminal = recordedTerminal();
      const code = await run(['check', model], terminal);
      return `${code} ${terminal.written().stdout}`;
    };
    assert.match(
      await check(),
      /^1 .*auth\.issuers\[0\]\.jwks_file: the keys in .*keys\.json cannot be used: .*; write a/,
    );
    await runToken(model, '--sub', 'ann');
    writeFileSync(path.join(folder, 'keys.json'), readFileSync(path.join(folder, 'restwright-dev-jwks.json')));
    assert.match(await check(), /^0 /);
    writeFileSync(
      path.join(folder, 'keys.json'),
      `{"keys":[${readFileSync(path.join(folder, 'restwright-dev-key.json'), 'utf8')}]}`,
    );
    assert.match(await check(), /contains a private key/);
  });
});
