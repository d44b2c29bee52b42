import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { documentSchema } from '../../../src/model/document/document-schema.ts';

const root = path.join(import.meta.dirname, '..', '..', '..');

describe('schema/model.schema.json', () => {
  it('is the JSON Schema of model documents', () => {
    const file = readFileSync(path.join(root, 'schema', 'model.schema.json'), 'utf8');
    const isCurrent = file === `${JSON.stringify(documentSchema, null, 2)}\n`;
    assert.ok(isCurrent, 'run: node bin/restwright.js schema > schema/model.schema.json');
  });

  it('is published', () => {
    const manifest: { readonly files: readonly string[] } = JSON.parse(
      readFileSync(path.join(root, 'package.json'), 'utf8'),
    );
    assert.ok(manifest.files.includes('schema'));
  });
});
