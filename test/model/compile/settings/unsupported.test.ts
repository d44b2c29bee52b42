import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type InvalidDocument, itemsDocument, load, rejectsEach } from '../../loading.ts';

const STATUS = 'status: { type: string, enum: [A, B], default: A }';
const top = (text: string): string => `name: shop\n${text}\nresources: { items: { schema: { type: object } } }\n`;

describe('a section that is not supported yet', () => {
  const rows: readonly (readonly [text: string, sections: readonly string[]])[] = [
    [top('trusted_proxies: [10.0.0.0/8]\nrequire_tls: true'), []],
    [top('cors: { origins: [https://app.example.com, "*"], max_age: 60 }'), []],
    [top('cors: { origins: [https://app.example.com, "null"] }'), ['cors.origins[1]']],
    [top('limits: { rate: { requests: 1, per: 1s } }'), []],
    [top('events: { retention: 30d, max_rows: 10000 }'), []],
    [top('events: { relays: [{ nats: "nats://127.0.0.1:4222" }] }'), []],
    [top('system: { events: log }'), []],
    [top('require_tls: false'), []],
    [itemsDocument(STATUS, 'tombstones: 1d'), []],
    [
      itemsDocument(
        STATUS,
        'sortable: [status]\nsearch: [status]\ncache: { max_age: 1 }\nrequire_if_match: true\nevents: full',
      ),
      [],
    ],
  ];
  for (const [text, sections] of rows) {
    it(`is reported: ${sections.length === 0 ? 'none' : sections.join(', ')}`, () => {
      assert.deepEqual(
        load(text).unsupported,
        sections.map((path) => `${path}: declared, but not supported yet`),
      );
    });
  }
});

describe('a section that cannot be ignored', () => {
  const rejected = (title: string, text: string, path: string, line: number, cause: RegExp): InvalidDocument => ({
    title,
    text,
    path,
    line,
    cause,
    fix: /remove it/,
  });
  rejectsEach([
    rejected(
      '[AUTH-4a]: access without auth',
      itemsDocument(STATUS, 'access: { read: { scope: a } }'),
      'resources.items.access',
      5,
      /access rules need auth/,
    ),
    rejected(
      '[MET-11]: the scope of a transition without auth',
      itemsDocument(STATUS, 'state: { field: status, initial: A, transitions: { A: [{ to: B, scope: s }] } }'),
      'resources.items.state.transitions.A[0].scope',
      5,
      /a scope needs auth/,
    ),
  ]);
});
