import assert from 'node:assert/strict';
import { isIPv6 } from 'node:net';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { isHost, isLoopbackHost } from '../../../src/conventions/url/host.ts';

describe('isHost', () => {
  const hosts = [
    'example.com',
    'example.com:80',
    'example.com:',
    'EXAMPLE.com.',
    'my_host',
    'a%20b',
    '127.0.0.1:3000',
    '[::1]',
    '[::]',
    '[2001:db8::1]:443',
    '[::ffff:192.0.2.1]',
    '[1:2:3:4:5:6:7:8]',
    '[1:2:3:4:5:6:7::]',
    'h:65535',
  ];
  for (const host of hosts) it(`[URL-8] accepts ${host}`, () => assert.equal(isHost(host), true));

  const invalid = [
    '',
    ' ',
    'a b',
    'user@host',
    'host/path',
    'host?x',
    'h#',
    'h:65536',
    'h:-1',
    'h:80:80',
    'h:x',
    'a%2',
    '::1',
    '[::1',
    '[]',
    '[:::]',
    '[1::2::3]',
    '[1:2:3:4:5:6:7]',
    '[1:2:3:4:5:6:7:8:9]',
    '[1:2:3:4:5:6:7:8::]',
    '[12345::]',
    '[::1.2.3]',
    '[::256.1.1.1]',
    '[1.2.3.4::]',
    '[fe80::1%25eth0]',
    '[v1.x]',
    'http://h',
    'é',
    'a"b',
    'a\tb',
    'h:80 ',
  ];
  for (const host of invalid) it(`[URL-8] rejects ${JSON.stringify(host)}`, () => assert.equal(isHost(host), false));

  it('[URL-8] agrees with the platform on IPv6 addresses', () => {
    const group = fc.constantFrom('0', '1', 'ffff', '12345', 'g', '', '1.2.3.4', '01.2.3.4');
    fc.assert(
      fc.property(fc.array(group, { maxLength: 9 }), fc.constantFrom(':', '::'), fc.nat(8), (groups, wide, at) => {
        const text = groups.map((made, index) => (index === 0 ? '' : index === at ? wide : ':') + made).join('');
        assert.equal(isHost(`[${text}]`), isIPv6(text), text);
      }),
      { numRuns: 2_000 },
    );
    fc.assert(fc.property(fc.ipV6(), (address) => assert.equal(isHost(`[${address}]`), true)));
  });
});

describe('isLoopbackHost', () => {
  const own = [
    'localhost',
    'LOCALHOST:3000',
    'localhost.',
    'api.localhost:80',
    '127.0.0.1',
    '127.255.1.9:3000',
    '[::1]',
    '[::1]:3000',
  ];
  for (const host of own) it(`[AUTH-7] recognizes ${host}`, () => assert.equal(isLoopbackHost(host), true));

  const foreign = [
    '',
    'example.com',
    'localhost.example.com',
    'notlocalhost',
    'xlocalhost:80',
    '127.0.0.1.example.com',
    '127.0.0.1.nip.io',
    '127.1',
    '127.0.0.01',
    '127.0.0.256',
    '128.0.0.1',
    '10.0.0.1',
    '0.0.0.0',
    '[::]',
    '[::2]',
    '[::ffff:127.0.0.1]',
    'localhost:99999',
    'localhost@example.com',
    'localhost,example.com',
  ];
  for (const host of foreign) {
    it(`[AUTH-7] does not recognize ${JSON.stringify(host)}`, () => assert.equal(isLoopbackHost(host), false));
  }
});
