import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formats } from '../../../src/model/values/formats.ts';
import type { TextFormat } from '../../../src/model/model.ts';

describe('formats', () => {
  const rows: Readonly<Record<TextFormat, { valid: readonly string[]; invalid: readonly string[] }>> = {
    date: {
      valid: ['2026-05-17', '2024-02-29', '0000-01-01'],
      invalid: ['2025-02-29', '2026-5-17', '2026-05-17Z', '٢٠٢٦-05-17'],
    },
    time: {
      valid: ['09:30:00Z', '09:30:00.5+02:00', '23:59:60Z', '01:29:60+01:30', '22:59:60-01:00'],
      invalid: ['09:30:00', '24:00:00Z', '09:30Z', '22:59:60Z', '09:30:00+24:00'],
    },
    duration: {
      valid: ['P1Y', 'P1Y2M3D', 'P3DT4H', 'PT1H30M', 'PT36H', 'P4W', 'PT0S', 'P1DT1H0M5S'],
      invalid: ['P', 'PT', 'P1', '1D', 'P1DT', 'P1W2D', 'P1Y2D', 'PT1H5S', 'PT1.5S', '-P1D', 'P1S'],
    },
    uuid: {
      valid: ['0198c0de-7a1b-7c3d-8e4f-5a6b7c8d9e0f', '0198C0DE-7A1B-7C3D-8E4F-5A6B7C8D9E0F'],
      invalid: [
        '0198c0de7a1b7c3d8e4f5a6b7c8d9e0f',
        '{0198c0de-7a1b-7c3d-8e4f-5a6b7c8d9e0f}',
        '0198c0de-7a1b-7c3d-8e4f-5a6b7c8d9e0g',
      ],
    },
    email: {
      valid: [
        'ann@example.com',
        'a.b+c@x.org',
        '"a b"@example.com',
        'a@[192.0.2.1]',
        'a@[IPv6:2001:db8::1]',
        "o'neil@localhost",
      ],
      invalid: [
        'ann',
        '@example.com',
        'ann@',
        'a b@example.com',
        '.a@example.com',
        'a..b@example.com',
        'a@-x.org',
        'a@[999.0.0.1]',
        `${'a'.repeat(65)}@x.org`,
      ],
    },
    uri: {
      valid: [
        'https://example.com/a?b=c#d',
        'urn:isbn:123',
        'http://[2001:db8::1]:80/',
        'mailto:a@b.c',
        'a:',
        'http://u:p@h/%41',
        'file:///etc',
        'http://[v1.a]/',
      ],
      invalid: [
        '/relative',
        'example.com',
        'http://a b/',
        'http://a/%zz',
        'http://a/<b>',
        'http://é.com',
        '1a:b',
        'http://[::1',
        'http://a@b@c/',
        'http://h:8x/',
        'a:b#c#d',
        'http://[1.2.3]/',
      ],
    },
    hostname: {
      valid: ['example.com', 'a', 'a-b.c', 'xn--bcher-kva.example', `${'a'.repeat(63)}.b`],
      invalid: [
        '',
        '-a.b',
        'a-.b',
        'a..b',
        'a.b.',
        'a_b',
        `${'a'.repeat(64)}.b`,
        'bücher.example',
        Array(127).fill('ab').join('.'),
      ],
    },
    ipv4: {
      valid: ['192.0.2.1', '0.0.0.0', '255.255.255.255'],
      invalid: ['256.0.0.1', '1.2.3', '01.2.3.4', '1.2.3.4.5', '0x7f.0.0.1', '1.2.3.4/8'],
    },
    ipv6: {
      valid: ['::', '::1', '2001:db8::1', '1:2:3:4:5:6:7:8', '::ffff:192.0.2.1', '1:2:3:4:5:6:1.2.3.4', '1::'],
      invalid: [
        '1::2::3',
        ':1',
        '1:2:3:4:5:6:7',
        '1:2:3:4:5:6:7:8:9',
        '12345::',
        'fe80::1%eth0',
        '1:2:3:4:5:6:7::8',
        '1.2.3.4',
        '1.2.3.4::',
        ':::',
      ],
    },
  };
  for (const [name, { valid, invalid }] of Object.entries(rows)) {
    const format = Object.entries(formats).find(([each]) => each === name)?.[1];
    it(`[ERR-3] asserts ${name}`, () => {
      assert.ok(format !== undefined);
      assert.deepEqual(
        valid.filter((text) => !format.test(text)),
        [],
      );
      assert.deepEqual(
        invalid.filter((text) => format.test(text)),
        [],
      );
    });
  }

  it('[ERR-3] judges hostile texts in linear time', () => {
    const started = process.cpuUsage().user;
    for (const seed of ['a.', 'a@', '0', '1:', 'P1', '%41', '-', '"\\a', 'T1H', 'a-']) {
      const text = seed.repeat(100_000);
      for (const { test } of Object.values(formats)) test(`${text}\n`);
    }
    assert.ok(process.cpuUsage().user - started < 3_000_000);
  });
});
