import { type ApiUnderTest, apiUnderTest } from './api-under-test.ts';
import { before, Rival } from './rival.ts';
import { create } from '../models/shop-model.ts';

/** Notes with two fields, and resources that refer to them. */
export const NOTES = `
name: desk
version: 1.0.0
resources:
  notes:
    id: client
    schema:
      type: object
      properties:
        text: { type: string }
        kind: { type: string }
        code: { type: string, x-unique: true }
        list: { type: array, items: { type: string } }
        phase: { type: string, enum: [NEW, OPEN, DONE], default: NEW }
    state: { field: phase, initial: NEW, transitions: { NEW: [OPEN], OPEN: [DONE] } }
  held: { singular: held_one, id: client, schema: { type: object, properties: { note_id: { type: string, x-references: notes } } } }
  taken: { singular: taken_one, id: client, schema: { type: object, properties: { note_id: { type: string, x-references: { resource: notes, on_delete: cascade } } } } }
`;

/** An API whose first writes each lose a race: a rival writes between its read and its write. */
export async function raced(
  acts: readonly ((rival: Rival) => Promise<void>)[],
  resource = 'notes',
): Promise<ApiUnderTest> {
  const pending = [...acts];
  let armed = false;
  const desk = await apiUnderTest(NOTES, {
    breaking: (store) => {
      const rival = new Rival(store, resource);
      return before(store, async () => {
        if (armed) await pending.shift()?.(rival);
      });
    },
  });
  await create(desk, 'notes', { id: 'a', text: 'old' });
  armed = true;
  return desk;
}
