import { SECRET, token } from '../auth/signing.ts';

/**
 * Resources whose callers see different rows and fields. All but `labels` declare caching, and all but `ledgers` and
 * `notes` can be read by anyone.
 */
export const PRESS = `
name: press
version: 1.4.2
limits: { rate: false }
auth: { issuers: [{ name: id, issuer: https://id.example.com/, audience: press, hs256_secret: ${SECRET} }] }
resources:
  topics:
    id: client
    cache: { max_age: 60, scope: public }
    schema: { type: object, properties: { name: { type: string } } }
    access: { read: public, write: authenticated }
  offers:
    id: client
    cache: { max_age: 60, scope: public }
    schema: { type: object, properties: { name: { type: string }, status: { type: string } } }
    access: { read: public, write: authenticated, rows: { read: { status: LIVE }, create: true, update: true } }
  articles:
    id: client
    cache: { max_age: 60, scope: public }
    search: [text]
    schema:
      type: object
      properties:
        tenant: { type: string }
        status: { type: string, enum: [DRAFT, LIVE], default: DRAFT }
        text: { type: string }
        cost: { type: string }
        topic_id: { type: string, x-references: { resource: topics, inverse: articles } }
    access:
      read: public
      write: authenticated
      rows:
        read: { any: [{ status: LIVE }, { tenant: $caller.claims.tenant }] }
        update: { tenant: $caller.claims.tenant }
        delete: { tenant: $caller.claims.tenant }
      fields: { cost: { read: { scope: finance }, write: { scope: finance } } }
  comments:
    id: client
    parent: articles
    on_parent_delete: cascade
    cache: { max_age: 60, scope: public }
    schema: { type: object, properties: { text: { type: string } } }
  labels:
    id: client
    schema: { type: object, properties: { tenant: { type: string }, text: { type: string } } }
    access: { read: public, write: authenticated, rows: { read: { any: [{ tenant: all }, { tenant: $caller.claims.tenant }] }, create: true } }
  ledgers:
    id: client
    cache: { max_age: 60, scope: public }
    schema: { type: object, properties: { tenant: { type: string }, text: { type: string }, cost: { type: string } } }
    access:
      read: authenticated
      write: authenticated
      rows: { read: { tenant: $caller.claims.tenant } }
      fields: { cost: { read: { scope: finance } } }
  notes:
    id: client
    cache: { max_age: 60 }
    schema: { type: object, properties: { text: { type: string }, owner_id: { type: string, readOnly: true } } }
    access: { read: authenticated, write: authenticated, owner: owner_id }
`;

/** Ann and Ana are of one tenant and read different fields, Eve is of none, and the last one sends no token. */
export const callerNames = ['ann', 'ana', 'bob', 'eve', 'anonymous'] as const;
export type CallerName = (typeof callerNames)[number];

export const TENANT: Readonly<Partial<Record<CallerName, string>>> = { ann: 'acme', ana: 'acme', bob: 'byte' };

/** Texts in responses, and the only callers that get them. */
export const MARKERS: Readonly<Record<string, readonly CallerName[]>> = {
  'secret-of-acme': ['ann', 'ana'],
  'secret-of-byte': ['bob'],
  'cost-for-finance': ['ann', 'bob'],
  'owned-by-ann': ['ann'],
  'owned-by-ana': ['ana'],
  'owned-by-bob': ['bob'],
};

function credentials(sub: CallerName, scope: string): Readonly<Record<string, string>> {
  const now = Math.floor(Date.now() / 1_000);
  const tenant = TENANT[sub];
  const claims = { aud: 'press', sub, scope, iat: now, exp: now + 3_600, ...(tenant === undefined ? {} : { tenant }) };
  const header = { alg: 'HS256', kid: undefined };
  return { Authorization: `Bearer ${token({ header, claims, key: SECRET })}` };
}

/** The header fields that name each caller. */
export const CREDENTIALS: Readonly<Record<CallerName, Readonly<Record<string, string>>>> = {
  ann: credentials('ann', 'finance'),
  ana: credentials('ana', 'unrelated'),
  bob: credentials('bob', 'finance'),
  eve: credentials('eve', ''),
  anonymous: {},
};

/** Long enough to be compressed. */
const LONG = ' word'.repeat(300);

/** The rows, in the order of their creation: by whom, where and what. */
export const ROWS: readonly (readonly [caller: CallerName, collection: string, body: object])[] = [
  ['ann', 'topics', { id: 'x', name: `News${LONG}` }],
  ['ann', 'topics', { id: 'y', name: 'Sports' }],
  ['ann', 'offers', { id: 'live', name: 'Live', status: 'LIVE' }],
  ['ann', 'offers', { id: 'over', name: 'secret-of-nobody', status: 'OVER' }],
  ...(['ann', 'bob'] as const).flatMap((caller): (readonly [CallerName, string, object])[] => {
    const tenant = TENANT[caller] ?? '';
    const text = `secret-of-${tenant}${LONG}`;
    const own = { tenant, cost: 'cost-for-finance' };
    return [
      [caller, 'articles', { ...own, id: `${tenant}-live`, status: 'LIVE', text: 'word for all', topic_id: 'x' }],
      [caller, 'articles', { ...own, id: `${tenant}-draft`, text, topic_id: 'x' }],
      [caller, 'articles', { ...own, id: `${tenant}-other`, text, topic_id: 'y' }],
      [caller, `articles/${tenant}-live/comments`, { id: 'c', text: 'for all' }],
      [caller, `articles/${tenant}-draft/comments`, { id: 'c', text }],
      [caller, 'labels', { id: tenant, tenant, text }],
      [caller, 'ledgers', { id: tenant, tenant, text, cost: 'cost-for-finance' }],
    ];
  }),
  ...(['ann', 'ana', 'bob'] as const).map((caller): readonly [CallerName, string, object] => [
    caller,
    'notes',
    { id: caller, text: `owned-by-${caller}` },
  ]),
  ['ann', 'labels', { id: 'all', tenant: 'all', text: 'for all' }],
];
