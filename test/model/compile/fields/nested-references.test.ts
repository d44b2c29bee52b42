import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { load, rejectsEach, resource } from '../../loading.ts';

const drive = (...resources: readonly string[]): string =>
  [
    'name: drive',
    'resources:',
    '  folders: { id: client, schema: { type: object } }',
    '  files: { id: client, parent: folders, schema: { type: object, properties: { name: { type: string } } } }',
    '  versions: { id: client, parent: files, schema: { type: object } }',
    '  remarks: { parent: files, schema: { type: object } }',
    ...resources,
    '',
  ].join('\n');

const referring = (target: string, rest = ''): string =>
  `  marks: { ${rest} schema: { type: object, properties: { at_id: { type: string, x-references: ${target} } } } }`;
const atReference = (...more: readonly string[]): string =>
  ['resources.marks.schema.properties.at_id', ...more].join('.');

describe('x-references to nested resources', () => {
  it('[URL-7] lead to rows below the same parent, where clients choose the ids', () => {
    const { model } = load(drive(referring('files', 'parent: folders,')));
    assert.equal(resource(model, 'marks').field.get('at_id')?.reference?.siblings, true);
    assert.deepEqual(resource(model, 'marks').parentKey, ['folder_id']);
  });

  it('[URL-7] lead to rows below any parent, where the server makes the ids', () => {
    const { model } = load(drive(referring('remarks')));
    assert.equal(resource(model, 'marks').field.get('at_id')?.reference?.siblings, undefined);
  });

  it('[URL-7] each row holds the key of its parent', () => {
    const { model } = load(drive());
    const keys = ['folders', 'files', 'versions', 'remarks'].map((name) => resource(model, name).parentKey);
    assert.deepEqual(keys, [[], ['folder_id'], ['file_id', 'above 1'], ['file_id', 'above 1']]);
  });

  rejectsEach([
    {
      title: '[URL-7] cannot lead from a top-level resource to ids that are unique below one parent only',
      text: drive(referring('files')),
      path: atReference('x-references'),
      line: 7,
      cause: /ids of files are unique below one of folders only/,
      fix: /id: uuid for files/,
    },
    {
      title: '[URL-7] cannot lead to them from below another parent',
      text: drive(referring('versions', 'parent: folders,')),
      path: atReference('x-references'),
      line: 7,
      cause: /ids of versions are unique below one of files only/,
      fix: /id: uuid for versions.*parent: files/,
    },
    {
      title: '[URL-7] cannot lead to them from the items of an array',
      text: drive(
        '  marks: { schema: { type: object, properties: { at_id: { type: array, items: { type: string, x-references: files } } } } }',
      ),
      path: atReference('items', 'x-references'),
      line: 7,
      cause: /ids of files/,
      fix: /id: uuid/,
    },
    {
      title: '[REP-9c] cannot have an inverse that can be neither expanded nor linked',
      text: drive(
        '  marks: { schema: { type: object, properties: { at_id: { type: string, writeOnly: true, x-references: { resource: folders, inverse: marks } } } } }',
      ),
      path: atReference('x-references', 'inverse'),
      line: 7,
      cause: /marks can be neither expanded nor linked, because at_id is write-only/,
      fix: /remove inverse/,
    },
  ]);
});
