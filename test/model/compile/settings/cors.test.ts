import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import type { Model } from '../../../../src/model/model.ts';
import { type InvalidDocument, load, rejectsEach } from '../../loading.ts';

const corsDocument = (cors: string): string =>
  `name: shop\ncors: ${cors}\nresources: { items: { schema: { type: object } } }\n`;
const cors = (text: string): Model['cors'] => load(corsDocument(text)).model.cors;

describe('cors of a model', () => {
  it('[OPS-3a] is off by default, and where it names no origin', () => {
    assert.equal(load('name: shop\nresources: { items: { schema: { type: object } } }\n').model.cors, null);
    assert.equal(cors('{ origins: [] }'), null);
    assert.equal(cors('{ origins: ["null"] }'), null);
  });

  it('[OPS-3a] has origins as browsers serialize them', () => {
    const origins =
      '["HTTPS://App.Example.com:443/", "http://localhost:5173", "capacitor://localhost", "https://bücher.example"]';
    assert.deepEqual(cors(`{ origins: ${origins} }`), {
      origins: new Set([
        'https://app.example.com',
        'http://localhost:5173',
        'capacitor://localhost',
        'https://xn--bcher-kva.example',
      ]),
      readers: 'origins',
      maxAge: 600,
    });
  });

  it('[OPS-3a] has credentials and the time for which a preflight holds', () => {
    assert.deepEqual(cors('{ origins: [https://app.example.com], credentials: true, max_age: 0 }'), {
      origins: new Set(['https://app.example.com']),
      readers: 'origins-with-credentials',
      maxAge: 0,
    });
  });

  it('[OPS-3a] lets every origin read by *, and named ones write', () => {
    const rule = cors('{ origins: ["*", https://app.example.com], credentials: false }');
    assert.deepEqual([rule?.readers, rule?.origins], ['anyone', new Set(['https://app.example.com'])]);
  });

  it('[OPS-3a] is as in the guide', () => {
    const guide = readFileSync(path.join(import.meta.dirname, '../../../../docs/guides/browsers.md'), 'utf8');
    const [, sample = ''] = /```yaml\n(cors:.*?)```/s.exec(guide) ?? [];
    const { model } = load(`name: shop\n${sample}resources: { items: { schema: { type: object } } }\n`);
    assert.deepEqual(model.cors?.origins, new Set(['https://app.example.com', 'http://localhost:5173']));
  });

  const notAnOrigin = (text: string): InvalidDocument => ({
    title: `[OPS-3a] rejects what is no origin: ${text}`,
    text: corsDocument(`{ origins: ['${text}'] }`),
    path: 'cors.origins[0]',
    line: 2,
    cause: /is not an origin/,
    fix: /such as https:\/\/app\.example\.com/,
  });
  rejectsEach([
    ...[
      'app.example.com',
      'https://app.example.com/shop',
      'https://app.example.com?x',
      'https://app.example.com#x',
      'https://*.example.com',
      'https://me@app.example.com',
      'localhost:5173',
      'file:///',
      '',
    ].map(notAnOrigin),
    {
      title: '[OPS-3a] rejects credentials for every origin',
      text: corsDocument('{ origins: ["*", https://app.example.com], credentials: true }'),
      path: 'cors.credentials',
      line: 2,
      cause: /reject credentials where every origin/,
      fix: /name each origin/,
    },
    {
      title: '[OPS-3a] rejects a time that browsers would not keep',
      text: corsDocument('{ origins: ["*"], max_age: 86401 }'),
      path: 'cors.max_age',
      line: 2,
      cause: /86400/,
      fix: /./,
    },
  ]);
});
