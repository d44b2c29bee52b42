import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { clientConnection } from '../../../src/conventions/headers/forwarded.ts';
import { headerFields } from '../../../src/conventions/headers/header-fields.ts';
import {
  type AddressRange,
  formatIpAddress,
  parseAddressRange,
  parseIpAddress,
} from '../../../src/conventions/url/ip-address.ts';

const PROXIES = ['10.0.0.0/8', 'fd00::/8'].map((text) => parseAddressRange(text)).filter((range) => range !== null);
const PEER = '10.0.0.1';

type Fields = readonly (readonly [name: string, value: string])[];

/** Address and scheme of the client, and the host that it asked for. */
function readClient(fields: Fields, peer = PEER, proxies: readonly AddressRange[] = PROXIES): readonly unknown[] {
  const { address, scheme, host } = clientConnection({ peer }, headerFields(fields.flat()), proxies);
  return [address, scheme, host];
}

const FORWARDED = 'Forwarded';
const FOR = 'X-Forwarded-For';
const PROTO = 'X-Forwarded-Proto';
const HOST = 'X-Forwarded-Host';

const ROWS: readonly (readonly [title: string, fields: Fields, client: readonly unknown[]])[] = [
  ['no field', [], [PEER, 'http', null]],
  [
    'Forwarded',
    [[FORWARDED, 'for=192.0.2.60;proto=https;by=10.0.0.1;host=A.example']],
    ['192.0.2.60', 'https', 'a.example'],
  ],
  ['an IPv6 address with a port', [[FORWARDED, 'For="[2001:DB8:cafe::17]:4711"']], ['2001:db8:cafe::17', 'http', null]],
  [
    'the last entry that is not trusted',
    [[FORWARDED, 'for=1.1.1.1, for=192.0.2.7;proto=https, for=10.2.3.4;proto=http']],
    ['192.0.2.7', 'https', null],
  ],
  [
    'several lines',
    [
      [FORWARDED, 'for=1.1.1.1'],
      [FORWARDED, 'for=192.0.2.7'],
    ],
    ['192.0.2.7', 'http', null],
  ],
  [
    'trusted entries alone: the first',
    [[FORWARDED, 'for=10.9.9.9;proto=https, for=10.2.3.4']],
    ['10.9.9.9', 'https', null],
  ],
  ['a scheme without an address', [[FORWARDED, 'proto=https']], [PEER, 'https', null]],
  ['an unknown node', [[FORWARDED, 'for=1.1.1.1;proto=https, for=unknown']], [PEER, 'http', null]],
  ['an obfuscated node', [[FORWARDED, 'for=1.1.1.1, for=_hidden;proto=https']], [PEER, 'https', null]],
  ['an open quote', [[FORWARDED, 'for="1.1.1.1, for=192.0.2.7;proto=https']], [PEER, 'http', null]],
  [
    'an open quote that the next one closes',
    [[FORWARDED, 'for="x, for="[2001:db8::1]";proto=https']],
    [PEER, 'http', null],
  ],
  [
    'an open quote on a line before',
    [
      [FORWARDED, 'for="x'],
      [FORWARDED, 'for=192.0.2.7'],
    ],
    ['192.0.2.7', 'http', null],
  ],
  [
    'a malformed line before a trusted hop',
    [
      [FORWARDED, 'for=1.1.1.1;;for'],
      [FORWARDED, 'for=10.5.5.5'],
    ],
    ['10.5.5.5', 'http', null],
  ],
  ['a parameter twice', [[FORWARDED, 'for=1.1.1.1;for=192.0.2.7']], [PEER, 'http', null]],
  ['an empty Forwarded', [[FORWARDED, '']], [PEER, 'http', null]],
  ['empty elements', [[FORWARDED, ', for=192.0.2.7 ,,']], ['192.0.2.7', 'http', null]],
  ['an unknown scheme', [[FORWARDED, 'for=192.0.2.7;proto=gopher']], ['192.0.2.7', 'http', null]],
  ['a host that is none', [[FORWARDED, 'for=192.0.2.7;host="a/b"']], ['192.0.2.7', 'http', null]],
  [
    'X-Forwarded-*',
    [
      [FOR, '192.0.2.7'],
      [PROTO, 'HTTPS'],
      [HOST, 'a.example'],
    ],
    ['192.0.2.7', 'https', 'a.example'],
  ],
  ['a client that sends X-Forwarded-For itself', [[FOR, '1.1.1.1, 192.0.2.7, 10.3.3.3']], ['192.0.2.7', 'http', null]],
  ['a client that appends a trusted address', [[FOR, '10.1.1.1, 192.0.2.7']], ['192.0.2.7', 'http', null]],
  ['a port', [[FOR, '192.0.2.7:1234']], ['192.0.2.7', 'http', null]],
  ['an IPv6 address without brackets', [[FOR, '2001:db8::1']], ['2001:db8::1', 'http', null]],
  ['a mapped address', [[FOR, '::ffff:192.0.2.7']], ['192.0.2.7', 'http', null]],
  ['no address', [[FOR, '192.0.2.7, nonsense']], [PEER, 'http', null]],
  ['a zone', [[FOR, 'fe80::1%eth0']], [PEER, 'http', null]],
  [
    'schemes by entry',
    [
      [FOR, '1.1.1.1, 192.0.2.7'],
      [PROTO, 'https, http'],
    ],
    ['192.0.2.7', 'http', null],
  ],
  [
    'schemes by entry, behind two proxies',
    [
      [FOR, '192.0.2.7, 10.3.3.3'],
      [PROTO, 'https, http'],
    ],
    ['192.0.2.7', 'https', null],
  ],
  [
    'one scheme for all entries',
    [
      [FOR, '1.1.1.1, 192.0.2.7'],
      [PROTO, 'https'],
    ],
    ['192.0.2.7', 'https', null],
  ],
  [
    'more schemes than entries',
    [
      [FOR, '192.0.2.7'],
      [PROTO, 'https, http'],
    ],
    ['192.0.2.7', 'http', null],
  ],
  ['a scheme alone', [[PROTO, 'https']], [PEER, 'https', null]],
  [
    'both, equal',
    [
      [FORWARDED, 'for=192.0.2.7;proto=https'],
      [FOR, '192.0.2.7'],
      [PROTO, 'https'],
    ],
    ['192.0.2.7', 'https', null],
  ],
  [
    'both, with other addresses',
    [
      [FORWARDED, 'for=1.1.1.1;proto=https'],
      [FOR, '192.0.2.7'],
      [PROTO, 'https'],
    ],
    [PEER, 'http', null],
  ],
  [
    'both, with other schemes',
    [
      [FORWARDED, 'for=192.0.2.7;proto=https'],
      [FOR, '192.0.2.7'],
      [PROTO, 'http'],
    ],
    [PEER, 'http', null],
  ],
  [
    'both, with other hosts',
    [
      [FORWARDED, 'for=192.0.2.7;host=a.example'],
      [FOR, '192.0.2.7'],
      [HOST, 'b.example'],
    ],
    ['192.0.2.7', 'http', null],
  ],
];

describe('the client of a request from a trusted proxy', () => {
  for (const [title, fields, client] of ROWS)
    it(`[AUTH-6b] ${title}`, () => assert.deepEqual(readClient(fields), client));
});

describe('the client of a request from another peer', () => {
  const claims: Fields = [
    [FORWARDED, 'for=192.0.2.7;proto=https;host=a.example'],
    [FOR, '192.0.2.7'],
    [PROTO, 'https'],
  ];
  for (const peer of ['192.0.2.1', '11.0.0.1', '2001:db8::1', ''])
    it(`[AUTH-6b] is the peer: ${peer || 'unknown'}`, () =>
      assert.deepEqual(readClient(claims, peer), [peer, 'http', null]));
  it('[AUTH-6b] is the peer where no proxy is trusted', () =>
    assert.deepEqual(readClient(claims, PEER, []), [PEER, 'http', null]));
  it('[AUTH-6b] is named in one spelling', () => {
    assert.deepEqual(readClient([], '::ffff:192.0.2.1'), ['192.0.2.1', 'http', null]);
    assert.deepEqual(readClient([], 'fe80::0001%eth0'), ['fe80::1', 'http', null]);
  });
  it('[AUTH-6b] is trusted by its address alone, mapped or not', () =>
    assert.deepEqual(readClient(claims.slice(1), '::ffff:10.0.0.1'), ['192.0.2.7', 'https', null]));
});

describe('what a client sends before the entry of the proxy', () => {
  const sent = fc.oneof(
    fc.string(),
    fc.constantFrom('for="', 'for=1.1.1.1;proto=https', '10.0.0.1', '"', ',', 'for="a\\', '10.1.1.1, unknown'),
  );
  const address = fc.oneof(fc.ipV4(), fc.ipV6()).filter((text) => !/^(?:10\.|f[cd]|.*:10\.)/i.test(text));
  const spelled = (text: string): string => formatIpAddress(parseIpAddress(text) ?? []);

  it('[AUTH-6b] never chooses the address or the scheme of X-Forwarded-*', () => {
    fc.assert(
      fc.property(sent, address, fc.constantFrom('http', 'https'), (text, real, scheme) => {
        const [client, seen] = readClient([
          [FOR, `${text}, ${real}`],
          [PROTO, scheme],
        ]);
        assert.deepEqual([client, seen], [spelled(real), scheme]);
      }),
    );
  });

  it('[AUTH-6b] never chooses the address of Forwarded: at worst it is that of the proxy', () => {
    fc.assert(
      fc.property(sent, address, (text, real) => {
        const node = real.includes(':') ? `"[${real}]"` : real;
        const [client, scheme] = readClient([[FORWARDED, `${text}, for=${node}`]]);
        assert.ok(client === spelled(real) || client === PEER, String(client));
        assert.equal(scheme, 'http');
      }),
    );
  });
});
