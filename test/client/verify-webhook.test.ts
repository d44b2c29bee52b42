import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { type ReceivedHeaders, verifyWebhook, WebhookError } from '../../src/client/verify-webhook.ts';
import { signatureFields, webhookKey, webhookSecret } from '../../src/conventions/events/webhook-signature.ts';
import { hmacSigner } from '../../src/events/webhooks/signing-keys.ts';

const NOW = Date.UTC(2026, 4, 1, 12);
const SECRET = webhookSecret(new Uint8Array(32).fill(7));
const OTHER = webhookSecret(new Uint8Array(32).fill(9));
const BODY = '{"id":"0196","type":"product.created","payload":{"name":"Müsli"}}';

function signed(secrets: readonly string[], body = BODY, at = NOW): Record<string, string> {
  return { ...signatureFields({ id: '0196', timestamp: Math.floor(at / 1_000), body }, secrets.map(hmacSigner)) };
}

const verify = (
  headers: ReceivedHeaders,
  body: string | Uint8Array = BODY,
  secret: string | string[] = SECRET,
): Promise<unknown> => verifyWebhook({ headers, body }, { secret, now: () => NOW });

async function refusal(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
    return 'verified';
  } catch (error) {
    assert.ok(error instanceof WebhookError, String(error));
    return error.code;
  }
}

describe('signatures of webhooks', () => {
  it('[EVT-5a] are verified by the libraries standardwebhooks and svix', () => {
    const law = fc.property(
      fc.uint8Array({ minLength: 24, maxLength: 64 }),
      fc.json(),
      fc.stringMatching(/^[A-Za-z0-9-]{1,40}$/),
      (key, body, id) => {
        const secret = webhookSecret(key);
        const fields = {
          ...signatureFields({ id, timestamp: Math.floor(Date.now() / 1_000), body }, [hmacSigner(secret)]),
        };
        assert.deepEqual(new Webhook(secret).verify(body, fields), JSON.parse(body));
        assert.doesNotThrow(() => new SvixWebhook(secret).verify(body, fields));
      },
    );
    fc.assert(law, { numRuns: 50 });
  });

  it('[EVT-5a] of the library standardwebhooks are verified', async () => {
    const at = new Date(NOW);
    const fields = {
      'webhook-id': '0196',
      'webhook-timestamp': String(NOW / 1_000),
      'webhook-signature': new Webhook(SECRET).sign('0196', at, BODY),
    };
    assert.deepEqual(await verify(fields), JSON.parse(BODY));
  });

  it('[EVT-5a] match the example of the specification', () => {
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    const message = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestamp: 1_614_265_330, body: '{"test": 2432232314}' };
    assert.equal(
      signatureFields(message, [hmacSigner(secret)])['webhook-signature'],
      'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    );
  });

  it('[EVT-4b] verify with either secret during a rotation', async () => {
    const fields = signed([OTHER, SECRET]);
    assert.deepEqual(await verify(fields), JSON.parse(BODY));
    assert.deepEqual(await verify(fields, BODY, OTHER), JSON.parse(BODY));
    assert.deepEqual(await verify(signed([SECRET]), BODY, [OTHER, SECRET]), JSON.parse(BODY));
  });
});

describe('verifyWebhook', () => {
  it('takes the headers of fetch and of Node.js, and the body as text or bytes', async () => {
    const fields = signed([SECRET]);
    const titled = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name.toUpperCase(), [value]]));
    for (const headers of [fields, titled, new Headers(fields)]) {
      assert.deepEqual(await verify(headers), JSON.parse(BODY));
      assert.deepEqual(await verify(headers, new TextEncoder().encode(BODY)), JSON.parse(BODY));
    }
  });

  it('[EVT-5a] refuses a body, an id or a time that was changed', async () => {
    const fields = signed([SECRET]);
    assert.equal(await refusal(verify(fields, `${BODY} `)), 'SIGNATURE_MISMATCH');
    assert.equal(await refusal(verify({ ...fields, 'webhook-id': '0197' })), 'SIGNATURE_MISMATCH');
    const later = String(NOW / 1_000 + 1);
    assert.equal(await refusal(verify({ ...fields, 'webhook-timestamp': later })), 'SIGNATURE_MISMATCH');
    assert.equal(await refusal(verify(fields, BODY, OTHER)), 'SIGNATURE_MISMATCH');
  });

  it('refuses a time that differs by more than five minutes, in the past and in the future', async () => {
    const minutes = (count: number): Record<string, string> => signed([SECRET], BODY, NOW + count * 60_000);
    assert.equal(await refusal(verify(minutes(5))), 'verified');
    assert.equal(await refusal(verify(minutes(-5))), 'verified');
    assert.equal(await refusal(verify(minutes(5.1))), 'TIMESTAMP_OUT_OF_TOLERANCE');
    assert.equal(await refusal(verify(minutes(-5.1))), 'TIMESTAMP_OUT_OF_TOLERANCE');
  });

  it('says what is wrong with a request, and with a secret', async () => {
    const fields = signed([SECRET]);
    const { 'webhook-id': _, ...withoutId } = fields;
    const cases: readonly (readonly [Promise<unknown>, string])[] = [
      [verify(withoutId), 'HEADER_MISSING'],
      [verify({ ...fields, 'webhook-signature': '' }), 'HEADER_MISSING'],
      [verify({ ...fields, 'webhook-timestamp': '1.5' }), 'TIMESTAMP_INVALID'],
      [verify({ ...fields, 'webhook-signature': 'v1a,AAAA' }), 'SIGNATURE_MISMATCH'],
      [verify(fields, BODY, 'whsec_short'), 'SECRET_INVALID'],
      [verify(fields, BODY, []), 'SECRET_INVALID'],
      [verify(signed([SECRET], 'no JSON'), 'no JSON'), 'BODY_MALFORMED'],
    ];
    for (const [promise, code] of cases) assert.equal(await refusal(promise), code);
  });

  it('compares a limited number of signatures', async () => {
    const { 'webhook-signature': signature = '', ...fields } = signed([SECRET]);
    const after = (count: number): Record<string, string> => ({
      ...fields,
      'webhook-signature': [...Array.from({ length: count }, () => `v1,${'A'.repeat(43)}=`), signature].join(' '),
    });
    assert.equal(await refusal(verify(after(15))), 'verified');
    assert.equal(await refusal(verify(after(16))), 'SIGNATURE_MISMATCH');
  });
});

describe('the secret of a webhook', () => {
  it('[EVT-4b] is whsec_ and base64 of 24 to 64 bytes', () => {
    assert.equal(webhookKey(webhookSecret(new Uint8Array(24)))?.length, 24);
    for (const secret of ['whsec_', 'whsec_AAAA', `whsec_${btoa('x'.repeat(65))}`, `whsec_${'='.repeat(32)}`, 'a b'])
      assert.equal(webhookKey(secret), null, secret);
    assert.throws(() => hmacSigner('whsec_AAAA'), /secret of a webhook/);
  });
});
