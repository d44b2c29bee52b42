import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addressName } from '../../src/limits/address-name.ts';

describe('the bucket of an address', () => {
  const rows: readonly (readonly [address: string, name: string])[] = [
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:192.0.2.1', '192.0.2.1'],
    ['::ffff:c000:201', '192.0.2.1'],
    ['0:0:0:0:0:ffff:c000:0201', '192.0.2.1'],
    ['0000:0000:0000:0000:0000:ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::ffff', '2001:db8:1:2::/64'],
    ['2001:db8::5', '2001:db8:0:0::/64'],
    ['2001:db8::1:2:3:4:5', '2001:db8:0:1::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
    ['1:2:3::192.0.2.1', '1:2:3:0::/64'],
    ['', ''],
    ['/run/api.sock', '/run/api.sock'],
  ];
  for (const [address, name] of rows) {
    it(`[LIM-2a] of ${address === '' ? 'no address' : address} is ${name}`, () => {
      assert.equal(addressName(address), name);
    });
  }
});
