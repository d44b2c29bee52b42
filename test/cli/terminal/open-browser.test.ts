import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { browserCommand, openBrowser } from '../../../src/cli/terminal/open-browser.ts';

const URL = 'http://127.0.0.1:3000/api?a=1&b=%20"$(x)';

describe('opening a browser', () => {
  it('passes the URL to the program of the platform as one argument, without a shell', () => {
    assert.deepEqual(browserCommand('linux', URL), ['xdg-open', URL]);
    assert.deepEqual(browserCommand('freebsd', URL), ['xdg-open', URL]);
    assert.deepEqual(browserCommand('darwin', URL), ['open', URL]);
    assert.deepEqual(browserCommand('win32', URL), ['rundll32', 'url.dll,FileProtocolHandler', URL]);
  });

  const failing: readonly (readonly [command: readonly [string, ...string[]], reason: RegExp])[] = [
    [['restwright-no-such-program', URL], /^restwright-no-such-program is not installed$/],
    [[process.execPath, '-e', 'process.exit(3)'], /exited with code 3$/],
  ];
  for (const [command, reason] of failing) {
    it(`reports a failure and throws nothing: ${reason.source}`, async () => {
      const failure = await new Promise<string>((resolve) => openBrowser(command, resolve));
      assert.match(failure, reason);
    });
  }
});
