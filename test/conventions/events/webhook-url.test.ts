import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type AllowedHosts,
  webhookHost,
  parseAllowedHosts,
  parseWebhookUrl,
} from '../../../src/conventions/events/webhook-url.ts';

function allowing(...entries: string[]): AllowedHosts {
  const parsed = parseAllowedHosts(entries);
  assert.ok(parsed.kind === 'valid', JSON.stringify(parsed));
  return parsed.hosts;
}

const NONE = allowing();
const readMessage = (text: string, loopback = false, allowed = NONE): string | null => {
  const parsed = parseWebhookUrl(text, { allowed, loopback });
  return parsed.kind === 'valid' ? null : parsed.message;
};

describe('the URL of a webhook', () => {
  it('[EVT-7] is https, without user information or fragment', () => {
    assert.equal(readMessage('https://example.com/hooks?tenant=7'), null);
    assert.equal(readMessage('https://example.com/@hooks?to=a@b'), null);
    for (const [text, expected] of [
      ['http://example.com/', /begin with https/],
      ['ftp://example.com/', /begin with https/],
      ['/hooks', /absolute URL/],
      ['https://', /absolute URL/],
      ['https://user@example.com/', /user name/],
      ['https://:secret@example.com/', /user name/],
      ['https://@example.com/', /user name/],
      ['https:user@example.com/', /user name/],
      ['https://example.com/#part', /fragment/],
      ['https://example.com\\@10.0.0.1/', /backslashes/],
      [' https://example.com/', /spaces/],
      ['https://example.com/\r\nHost: a', /spaces/],
      ['https://exam\tple.com/', /spaces/],
      [`https://example.com/${'a'.repeat(2_048)}`, /2048 characters/],
    ] as const)
      assert.match(readMessage(text) ?? '', expected, text);
  });

  it('[EVT-7] has the port of HTTPS, or one from 1024 on that no other protocol has', () => {
    for (const port of [443, 1024, 8443, 65535]) assert.equal(readMessage(`https://example.com:${port}/`), null);
    for (const port of [0, 22, 25, 80, 6000, 10080])
      assert.match(readMessage(`https://example.com:${port}/`) ?? '', /must not have the port/);
    assert.equal(readMessage('https://hooks.internal:444/', false, allowing('hooks.internal')), null);
    assert.match(readMessage('https://other.internal:444/', false, allowing('hooks.internal')) ?? '', /port/);
  });

  it('[EVT-7] is also http to loopback on a machine of developers', () => {
    for (const host of ['127.0.0.1:80', '127.9.9.9:3000', 'localhost:3000', '[::1]:3000', '2130706433']) {
      assert.equal(readMessage(`http://${host}/`, true), null, host);
      assert.match(readMessage(`http://${host}/`) ?? '', /begin with https:.* --dev /, host);
    }
    for (const host of ['example.com', '10.0.0.1', '[::2]', 'localhost.example.com'])
      assert.match(readMessage(`http://${host}/`, true) ?? '', /begin with https/, host);
  });

  it('has a host in one spelling', () => {
    assert.equal(webhookHost(new URL('https://[::FFFF:1.2.3.4]/')), '::ffff:102:304');
    assert.equal(webhookHost(new URL('https://EXAMPLE.com./')), 'example.com');
    assert.equal(webhookHost(new URL('https://0x7f.1/')), '127.0.0.1');
  });
});

describe('allow_hosts', () => {
  it('has names, addresses and networks', () => {
    const { names, ranges } = allowing('Hooks.internal', '10.0.0.7', 'fd00::/8', '10.1.0.0/16');
    assert.deepEqual([...names], ['hooks.internal']);
    assert.equal(ranges.length, 3);
    for (const entry of ['https://a.test', 'a b', '', '10.0.0.1/8', '10.0.0', '*.internal', 'a.test:443'])
      assert.deepEqual(parseAllowedHosts(['a.test', entry]), { kind: 'invalid', entry });
  });
});
