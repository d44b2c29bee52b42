import assert from 'node:assert/strict';
import { BlockList, isIP, isIPv4 } from 'node:net';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import {
  formatIpAddress,
  isInRange,
  parseAddressRange,
  parseIpAddress,
} from '../../../src/conventions/url/ip-address.ts';

const octets = fc.array(fc.integer({ min: 0, max: 255 }), { minLength: 4, maxLength: 4 });
const groups = fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 0xffff })), { minLength: 8, maxLength: 8 });
const anyAddress = fc.oneof(
  octets.map((each) => each.join('.')),
  groups.map((each) => each.map((group) => group.toString(16)).join(':')),
  fc.ipV6(),
);

describe('an IP address', () => {
  it('[AUTH-6b] is what Node accepts as one, without a zone', () => {
    const texts = fc.oneof(anyAddress, fc.string({ unit: fc.constantFrom('0', '1', '2', '255', ':', '.', 'a', 'f') }));
    fc.assert(fc.property(texts, (text) => assert.equal(parseIpAddress(text) !== null, isIP(text) !== 0, text)));
  });

  it('[AUTH-6b] has one spelling, which reads as the same address', () => {
    fc.assert(
      fc.property(anyAddress, (text) => {
        const address = parseIpAddress(text) ?? [];
        const spelled = formatIpAddress(address);
        assert.deepEqual(parseIpAddress(spelled), address);
        // The URL standard writes IPv6 addresses in the same form.
        if (!isIPv4(spelled)) assert.equal(`[${spelled}]`, new URL(`http://[${text}]/`).hostname);
      }),
    );
  });

  for (const text of [
    '',
    '1.2.3',
    '01.2.3.4',
    '256.1.1.1',
    '1.2.3.4.5',
    '::1::',
    ':::',
    '1:2:3:4:5:6:7:8::',
    'fe80::1%eth0',
    '[::1]',
  ])
    it(`[AUTH-6b] is not ${JSON.stringify(text)}`, () => assert.equal(parseIpAddress(text), null));
});

describe('a network', () => {
  it('[AUTH-6b] contains what Node says that it does', () => {
    const bits = fc.integer({ min: 0, max: 128 });
    fc.assert(
      fc.property(anyAddress, anyAddress, bits, (base, text, wanted) => {
        const address = parseIpAddress(base) ?? [];
        const prefix = wanted % (address.length * 8 + 1);
        const family = address.length === 4 ? 'ipv4' : 'ipv6';
        const list = new BlockList();
        list.addSubnet(formatIpAddress(address), prefix, family);
        const other = parseIpAddress(text) ?? [];
        const spelled = formatIpAddress(other);
        const isWithin = isIPv4(spelled) === (family === 'ipv4') && list.check(spelled, family);
        assert.equal(isInRange(other, { address, prefix }), isWithin);
        assert.equal(isInRange(address, { address, prefix }), true);
      }),
    );
  });

  it('[AUTH-6b] of IPv4 addresses contains mapped ones', () => {
    const range = parseAddressRange('10.0.0.0/8');
    assert.ok(range !== null && isInRange(parseIpAddress('::ffff:10.1.2.3') ?? [], range));
    assert.deepEqual(parseAddressRange('::ffff:10.0.0.0/104'), range);
  });

  for (const text of [
    '10.0.0.1/8',
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '::/129',
    '10.0.0.0/08',
    '::ffff:10.0.0.0/8',
    'x/8',
    '',
  ])
    it(`[AUTH-6b] is not ${JSON.stringify(text)}`, () => assert.equal(parseAddressRange(text), null));
});
