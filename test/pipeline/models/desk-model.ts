import { type ApiUnderTest, apiUnderTest } from '../support/api-under-test.ts';
import { create } from './shop-model.ts';

/** A model with small pages and low limits. */
export const NOTES = `
name: desk
version: 1.0.0
limits: { page: { default: 3, max: 5, max_offset: 6, count_cap: 4 } }
resources:
  notes:
    id: client
    schema:
      type: object
      properties: { kind: { type: string }, rank: { type: integer } }
    indexes: [kind]
  lines:
    parent: notes
    id: client
    schema: { type: object, properties: { text: { type: string } } }
`;

/** Creates the notes `a` to `g`, the last two of kind `y`, the others of kind `x`, and six lines below the first. */
export async function sevenNotes(document = NOTES): Promise<ApiUnderTest> {
  const desk = await apiUnderTest(document);
  for (const id of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) await create(desk, 'notes', { id, kind: id < 'f' ? 'x' : 'y' });
  for (let line = 1; line <= 6; line++) await create(desk, 'notes/a/lines', { id: `a${line}` });
  return desk;
}
