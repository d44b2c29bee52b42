import { type ApiUnderTest, apiUnderTest, type Setting } from '../support/api-under-test.ts';
import { create } from './shop-model.ts';

/**
 * Folders with files and versions whose ids clients choose. Files refer to each other in their folder and to tags;
 * remarks have ids of the server, and pins and reactions refer to them.
 */
export const DRIVE = `
name: drive
version: 1.0.0
resources:
  tags: { id: client, schema: { type: object, properties: { title: { type: string } } } }
  folders: { id: client, schema: { type: object, properties: { title: { type: string } } } }
  files:
    id: client
    parent: folders
    on_parent_delete: cascade
    search: [name]
    schema:
      type: object
      properties:
        name: { type: string }
        original_id: { type: string, x-references: { resource: files, inverse: copies, on_delete: nullify } }
        see_ids: { type: array, items: { type: string, x-references: { resource: files, inverse: mentions, on_delete: nullify } } }
        tag_id: { type: string, x-references: { resource: tags, inverse: files, on_delete: nullify } }
  versions:
    id: client
    parent: files
    on_parent_delete: cascade
    schema: { type: object, properties: { size: { type: integer }, tag_id: { type: string, x-references: { resource: tags, inverse: versions } } } }
  remarks: { parent: files, on_parent_delete: cascade, schema: { type: object, properties: { text: { type: string } } } }
  pins:
    id: client
    schema: { type: object, properties: { remark_id: { type: string, x-references: { resource: remarks, inverse: pins, on_delete: nullify } } } }
  reactions:
    id: client
    parent: folders
    on_parent_delete: cascade
    schema: { type: object, properties: { remark_id: { type: string, x-references: { resource: remarks, inverse: reactions, on_delete: cascade } } } }
`;

/** A drive with the files `x` and `y`, and the version `1` of `x`, in the folders `a` and `b`. */
export async function filledDrive(setting: Setting = {}): Promise<ApiUnderTest> {
  const drive = await apiUnderTest(DRIVE, setting);
  await create(drive, 'tags', { id: 't' });
  for (const folder of ['a', 'b']) {
    await create(drive, 'folders', { id: folder });
    await create(drive, `folders/${folder}/files`, { id: 'x', name: `first in ${folder}` });
    await create(drive, `folders/${folder}/files`, {
      id: 'y',
      name: `second in ${folder}`,
      original_id: 'x',
      see_ids: ['x', 'y'],
    });
    await create(drive, `folders/${folder}/files/x/versions`, { id: '1', size: folder === 'a' ? 1 : 2 });
  }
  return drive;
}
