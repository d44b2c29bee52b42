import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { isTime, storedDateTime } from '../../src/model/date-time.ts';
import { compareNumbers, decimalFault, storedDecimal, storedInt64 } from '../../src/model/exact-number.ts';
import { formats } from '../../src/model/formats.ts';
import type { TextFormat } from '../../src/model/model.ts';
import { parseDuration, parseSize } from '../../src/model/units.ts';

describe('storedDateTime', () => {
  const rows: readonly (readonly [text: string, stored: string | null])[] = [
    ['2026-05-17T09:30:00Z', '2026-05-17T09:30:00.000Z'],
    ['2026-05-17t09:30:00z', '2026-05-17T09:30:00.000Z'],
    ['2026-05-17T09:30:00.1239999Z', '2026-05-17T09:30:00.123Z'],
    ['1969-12-31T23:59:59.9999Z', '1969-12-31T23:59:59.999Z'],
    ['2026-05-17T01:30:00+02:00', '2026-05-16T23:30:00.000Z'],
    ['2026-12-31T23:30:00-01:30', '2027-01-01T01:00:00.000Z'],
    ['2026-05-17T09:30:00-00:00', '2026-05-17T09:30:00.000Z'],
    ['2026-05-17T09:30:00+23:59', '2026-05-16T09:31:00.000Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
    ['2000-02-29T00:00:00Z', '2000-02-29T00:00:00.000Z'],
    ['0000-01-01T00:00:00Z', '0000-01-01T00:00:00.000Z'],
    ['0050-01-01T01:00:00+01:00', '0050-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
    ['2016-12-31T23:59:60Z', '2016-12-31T23:59:59.999Z'],
    ['2017-01-01T01:59:60.5+02:00', '2016-12-31T23:59:59.999Z'],
    ['2016-12-31T23:58:60Z', null],
    ['2016-12-30T23:59:60Z', null],
    ['2016-12-31T23:59:61Z', null],
    ['0000-01-01T00:00:00+00:01', null],
    ['9999-12-31T23:59:59-00:01', null],
    ['2025-02-29T00:00:00Z', null],
    ['1900-02-29T00:00:00Z', null],
    ['2026-04-31T00:00:00Z', null],
    ['2026-13-01T00:00:00Z', null],
    ['2026-00-01T00:00:00Z', null],
    ['2026-01-00T00:00:00Z', null],
    ['2026-05-17T24:00:00Z', null],
    ['2026-05-17T09:60:00Z', null],
    ['2026-05-17T09:30:00+24:00', null],
    ['2026-05-17T09:30:00+00:60', null],
    ['2026-05-17T09:30:00', null],
    ['2026-05-17T09:30Z', null],
    ['2026-05-17T09:30:00.Z', null],
    ['2026-05-17 09:30:00Z', null],
    ['2026-05-17T09:30:00+0200', null],
    ['2026-05-17', null],
    ['+002026-05-17T09:30:00Z', null],
    ['2026-05-17T09:30:00Z\n', null],
    ['', null],
  ];
  for (const [text, stored] of rows) {
    it(`[REP-3] ${stored === null ? 'refuses' : 'reads'} ${JSON.stringify(text)}`, () => {
      assert.equal(storedDateTime(text), stored);
    });
  }

  it('[REP-3] keeps the instant, cut to the millisecond, whatever the offset', () => {
    const offset = fc.integer({ min: -1439, max: 1439 });
    const instant = fc.date({ min: new Date('0002-01-01'), max: new Date('9998-12-31'), noInvalidDate: true });
    fc.assert(
      fc.property(instant, offset, fc.stringMatching(/^\d{0,4}$/), (date, minutes, finer) => {
        const local = new Date(date.getTime() + minutes * 60_000).toISOString().slice(0, -1);
        const [hour, minute] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
        const zone = `${minutes < 0 ? '-' : '+'}${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;
        assert.equal(storedDateTime(`${local}${finer}${zone}`), date.toISOString());
      }),
    );
  });
});

describe('decimals', () => {
  const canonical: readonly (readonly [text: string, scale: number | null, stored: string | null])[] = [
    ['19.99', 2, '19.99'],
    ['19.9', 2, '19.90'],
    ['19', 2, '19.00'],
    ['19.9900', 2, '19.99'],
    ['007.50', null, '7.5'],
    ['10.0', null, '10'],
    ['-0', null, '0'],
    ['-0.00', 2, '0.00'],
    ['-0.10', null, '-0.1'],
    ['100', null, '100'],
    ['5', 0, '5'],
    ['1e5', null, null],
    ['+1', null, null],
    ['.5', null, null],
    ['5.', null, null],
    ['1,5', null, null],
    [' 1', null, null],
    ['１', null, null],
    ['', null, null],
  ];
  for (const [text, scale, stored] of canonical) {
    it(`[REP-7] stores ${JSON.stringify(text)} with scale ${scale} as ${stored}`, () => {
      assert.equal(storedDecimal(text, scale), stored);
    });
  }

  const bounded: readonly (readonly [
    text: string,
    precision: number | null,
    scale: number | null,
    fault: RegExp | null,
  ])[] = [
    ['9999999999.99', 12, 2, null],
    ['10000000000.00', 12, 2, /at most 10 digits before the point/],
    ['19.999', 12, 2, /at most 2 decimals/],
    ['1.5', 3, 0, /no decimals/],
    ['0.05', 2, 2, null],
    ['1.00', 2, 2, /at most 0 digits before/],
    ['123.4', 4, null, null],
    ['123.45', 4, null, /at most 4 digits/],
    ['9'.repeat(1000), null, null, null],
    ['9'.repeat(1001), null, null, /at most 1000 digits/],
    [`${'0'.repeat(5000)}1`, null, null, null],
    ['1e3', null, null, /must be a decimal number in text/],
  ];
  for (const [text, precision, scale, fault] of bounded) {
    it(`[REP-7] ${fault === null ? 'takes' : 'refuses'} ${text.slice(0, 20)} with precision ${precision} and scale ${scale}`, () => {
      const found = decimalFault(text, { precision, scale });
      if (fault === null) assert.equal(found, null);
      else assert.match(found ?? '', fault);
    });
  }

  it('[QRY-7] compares by value', () => {
    const scaled = fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n });
    const text = (value: bigint): string => {
      const digits = String(value < 0n ? -value : value).padStart(4, '0');
      return `${value < 0n ? '-' : ''}${digits.slice(0, -3)}.${digits.slice(-3)}`;
    };
    fc.assert(
      fc.property(scaled, scaled, (a, b) => {
        const sign = Number(a > b) - Number(a < b);
        assert.equal(Math.sign(compareNumbers(text(a), text(b))), sign);
        assert.equal(Math.sign(compareNumbers(storedDecimal(text(a), null) ?? '', text(b))), sign);
      }),
    );
  });

  it('[REP-7] takes a long run of zeros in linear time', () => {
    const started = process.cpuUsage().user;
    assert.equal(storedDecimal(`${'0'.repeat(1_000_000)}x`, null), null);
    assert.equal(storedDecimal(`1.${'0'.repeat(1_000_000)}1`, null)?.length, 1_000_003);
    assert.ok(process.cpuUsage().user - started < 2_000_000);
  });
});

describe('storedInt64', () => {
  const rows: readonly (readonly [text: string, stored: string | null])[] = [
    ['9223372036854775807', '9223372036854775807'],
    ['9223372036854775808', null],
    ['-9223372036854775808', '-9223372036854775808'],
    ['-9223372036854775809', null],
    ['0000000000000000000000042', '42'],
    ['-0', '0'],
    ['1.0', null],
    ['1e3', null],
    ['0x10', null],
    ['', null],
    ['9'.repeat(100), null],
  ];
  for (const [text, stored] of rows) {
    it(`[REP-7] stores ${JSON.stringify(text.slice(0, 30))} as ${stored}`, () =>
      assert.equal(storedInt64(text), stored));
  }
});

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

  it('[ERR-3] tells a leap second by the time in UTC', () => {
    assert.ok(isTime('23:59:60Z') && isTime('00:29:60+00:30') && !isTime('23:59:60+00:30'));
  });

  it('[ERR-3] judges hostile texts in linear time', () => {
    const started = process.cpuUsage().user;
    for (const seed of ['a.', 'a@', '0', '1:', 'P1', '%41', '-', '"\\a', 'T1H', 'a-']) {
      const text = seed.repeat(100_000);
      for (const { test } of Object.values(formats)) test(`${text}\n`);
    }
    assert.ok(process.cpuUsage().user - started < 3_000_000);
  });
});

describe('units', () => {
  it('[LIM-1] reads sizes in B, KiB and MiB and durations in ms, s, m, h and d', () => {
    assert.deepEqual(['512B', '16KiB', '1MiB', '1MB', '1', '-1B', '1 KiB'].map(parseSize), [
      512,
      16_384,
      1_048_576,
      null,
      null,
      null,
      null,
    ]);
    assert.deepEqual(['500ms', '30s', '5m', '2h', '30d', '1w', '1', '1.5s'].map(parseDuration), [
      500,
      30_000,
      300_000,
      7_200_000,
      2_592_000_000,
      null,
      null,
      null,
    ]);
  });
});
