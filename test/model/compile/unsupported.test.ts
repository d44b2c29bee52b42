import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type InvalidDocument, itemsDocument, load, rejectsEach } from '../loading.ts';

const STATUS = 'status: { type: string, enum: [A, B], default: A }';
const top = (text: string): string => `name: shop\n${text}\nresources: { items: { schema: { type: object } } }\n`;

describe('what is declared and served later', () => {
  const rows: readonly (readonly [text: string, notServed: readonly string[]])[] = [
    [top('trusted_proxies: [10.0.0.0/8]'), ['trusted_proxies']],
    [top('cors: { origins: [https://app.example.com] }'), ['cors']],
    [top('limits: { rate: { requests: 1, per: 1s } }'), ['limits.rate']],
    [top('limits: { rate: false }'), []],
    [top('events: { retention: 30d }'), ['events.retention']],
    [top('webhooks: { timeout: 1s }'), ['webhooks']],
    [top('system: { events: log }'), ['system']],
    [top('require_tls: false'), []],
    [
      itemsDocument(STATUS, 'tombstones: 1d\ngenerated: {}'),
      ['resources.items.tombstones', 'resources.items.generated'],
    ],
    [
      itemsDocument(
        STATUS,
        'sortable: [status]\nsearch: [status]\ncache: { max_age: 1 }\nrequire_if_match: true\nevents: full',
      ),
      [],
    ],
  ];
  for (const [text, notServed] of rows) {
    it(`is told, and only that: ${notServed.length === 0 ? 'nothing' : notServed.join(', ')}`, () => {
      assert.deepEqual(
        load(text).unsupported,
        notServed.map((path) => `${path}: declared, but not supported yet`),
      );
    });
  }
});

describe('what cannot be passed over', () => {
  const refused = (title: string, text: string, path: string, line: number, cause: RegExp): InvalidDocument => ({
    title,
    text,
    path,
    line,
    cause,
    fix: /remove it/,
  });
  rejectsEach([
    refused('[AUTH-1] is authentication', top('auth: { api_keys: true }'), 'auth', 2, /auth is not supported yet/),
    refused('[AUTH-6] is a gateway', top('auth: { gateway: { secret: a } }'), 'auth', 2, /auth is not supported yet/),
    refused(
      '[AUTH-10] is the rule on TLS',
      top('require_tls: true'),
      'require_tls',
      2,
      /require_tls is not supported yet/,
    ),
    refused(
      '[VER-5] is an older contract',
      top('versions: { 0.9.0: { changes: [] } }'),
      'versions',
      2,
      /older clients/,
    ),
    refused(
      '[AUTH-4] is a scope to read',
      itemsDocument(STATUS, 'access: { read: { scope: a } }'),
      'resources.items.access',
      5,
      /access is not supported yet/,
    ),
    refused(
      '[AUTH-5] is an owner',
      itemsDocument(STATUS, 'access: { owner: status }'),
      'resources.items.access',
      5,
      /access is not supported yet/,
    ),
    refused(
      '[AUTH-5] is a row policy',
      itemsDocument(STATUS, 'access: { rows: { read: { status: A } } }'),
      'resources.items.access',
      5,
      /access is not supported yet/,
    ),
    refused(
      '[MET-11] is the scope of a move',
      itemsDocument(STATUS, 'state: { field: status, initial: A, transitions: { A: [{ to: B, scope: s }] } }'),
      'resources.items.state.transitions.A[0].scope',
      5,
      /scope is not supported yet/,
    ),
    refused(
      '[REP-11] is a value shown once',
      itemsDocument('a: { type: string, x-shown-once: true }'),
      'resources.items.schema.properties.a.x-shown-once',
      4,
      /every response would contain/,
    ),
  ]);
});
