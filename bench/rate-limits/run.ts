// The time of one decision of the rate limiter, and the memory that a million addresses take.
import process from 'node:process';
import { addressName } from '../../src/limits/address-name.ts';
import { LocalRateLimiter } from '../../src/limits/rate-limiter.ts';
import { threadCpuTime } from '../../src/platform/clock.ts';

const COUNT = 1_000_000;
const ROUNDS = 5;

const limits = { caller: { requests: 600, per: 60_000 }, address: { requests: 60, per: 60_000 } };
const limiter = new LocalRateLimiter({ limits, secret: '0123456789abcdef', now: () => performance.now() });

/** Processor time of each call in nanoseconds, the median of several rounds. */
function nanoseconds(call: (index: number) => void): number {
  const rounds = Array.from({ length: ROUNDS }, () => {
    const start = threadCpuTime();
    for (let index = 0; index < COUNT; index += 1) call(index);
    return ((threadCpuTime() - start) * 1e6) / COUNT;
  });
  return rounds.toSorted((one, other) => one - other)[ROUNDS >> 1] ?? Number.NaN;
}

/** Resident memory in MiB. */
const memory = (): number => process.memoryUsage().rss / 2 ** 20;

const identities = Array.from({ length: 1_000 }, (_, index) =>
  JSON.stringify(['https://id.example.com/realms/shop', `5f0c2a9e-7d7b-4c61-9d1e-${index}`, 'shop-frontend']),
);
const ipv4 = (index: number): string => `${10 + (index >> 16)}.${(index >> 8) & 255}.${index & 255}.7`;
const ipv6 = (index: number): string => `2001:db8:${(index >> 8).toString(16)}:${(index & 255).toString(16)}:1:2:3:4`;

const before = memory();
const rows: readonly (readonly [what: string, nanoseconds: number])[] = [
  [
    'caller (90 characters of issuer, subject and client)',
    nanoseconds((index) => limiter.take('caller', identities[index % 1_000] ?? '', 1)),
  ],
  ['one address, refused', nanoseconds(() => limiter.take('address', addressName('192.0.2.1'), 1))],
  ['a million addresses, IPv4', nanoseconds((index) => limiter.take('address', addressName(ipv4(index)), 1))],
  ['a million networks, IPv6', nanoseconds((index) => limiter.take('failure', addressName(ipv6(index)), 1))],
];
for (const [what, time] of rows) process.stdout.write(`${what}: ${time.toFixed(0)} ns\n`);
process.stdout.write(`memory after ${2 * COUNT} addresses: ${(memory() - before).toFixed(1)} MiB more\n`);
