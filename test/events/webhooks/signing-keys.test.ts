import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { webhookSecret } from '../../../src/conventions/events/webhook-signature.ts';
import { activeSigners, signingKeys } from '../../../src/events/webhooks/signing-keys.ts';
import type { Row } from '../../../src/plan/plan.ts';
import type { Seal } from '../../../src/platform/seal.ts';

const START = Date.parse('2026-05-01T12:00:00Z');
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const SECRETS = ['first', 'second', 'third'].map((name, index) => ({
  name,
  secret: webhookSecret(new Uint8Array(32).fill(index + 1)),
}));

/** A seal that writes a mark before the text. */
const seal: Seal = {
  seal: (plain) => `sealed ${plain}`,
  open: (token) => (token.startsWith('sealed ') ? token.slice('sealed '.length) : null),
};

/** The row of a secret. @param age milliseconds after the webhook was created */
function row(name: string, age: number, sealed = true): Row {
  const secret = SECRETS.find((each) => each.name === name)?.secret ?? assert.fail();
  const at = new Date(START + age).toISOString();
  return { id: name, created_at: at, updated_at: at, revision: 1, secret: sealed ? seal.seal(secret) : secret };
}

/** The signature that each secret makes, by which a signer is recognized. */
const NAMES = new Map(
  SECRETS.map(({ name }) => [activeSigners(signingKeys(row(name, 0), [], seal), START)[0]?.('content'), name]),
);

/** The names of the secrets that sign, the newest first. @param age milliseconds after the webhook was created */
function signing(age: number, webhook: Row, ...rotated: readonly Row[]): readonly (string | undefined)[] {
  return activeSigners(signingKeys(webhook, rotated, seal), START + age).map((sign) => NAMES.get(sign('content')));
}

describe('the secrets of a webhook', () => {
  it('[EVT-4b] sign for 24 hours after a newer one was made, to the millisecond', () => {
    const rows = [row('first', 0), row('second', HOUR)] as const;
    for (const [age, names] of [
      [HOUR, ['second', 'first']],
      [HOUR + DAY - 1, ['second', 'first']],
      [HOUR + DAY, ['second']],
      [HOUR + DAY + 1, ['second']],
      [HOUR + 365 * DAY, ['second']],
    ] as const)
      assert.deepEqual(signing(age, ...rows), names, `after ${age} ms`);
  });

  it('[EVT-4b] end one after another, in whatever order they were read', () => {
    const rows = [row('first', 0), row('third', 10 * HOUR), row('second', HOUR)] as const;
    for (const [age, names] of [
      [10 * HOUR, ['third', 'second', 'first']],
      [HOUR + DAY, ['third', 'second']],
      [10 * HOUR + DAY - 1, ['third', 'second']],
      [10 * HOUR + DAY, ['third']],
    ] as const)
      assert.deepEqual(signing(age, ...rows), names, `after ${age} ms`);
  });

  it('[EVT-4b] that another server has sealed do not sign, and end the one before them all the same', () => {
    const rows = [row('first', 0), row('second', HOUR, false)] as const;
    assert.deepEqual(signing(HOUR + DAY - 1, ...rows), ['first']);
    assert.deepEqual(signing(HOUR + DAY, ...rows), []);
  });
});
