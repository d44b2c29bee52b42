import { type ApiUnderTest, apiUnderTest } from '../support/api-under-test.ts';
import { create } from './shop-model.ts';

/** A field of each type, fields named like parameters, and a resource with limited filterable and sortable fields. */
export const THINGS = `
name: shop
version: 1.0.0
resources:
  things:
    id: client
    schema:
      type: object
      properties:
        name: { type: string }
        count: { type: integer }
        ratio: { type: number }
        truth: { type: boolean }
        price: { type: string, format: decimal, x-scale: 2 }
        serial: { type: string, format: int64 }
        at: { type: string, format: date-time }
        due: { type: string, format: date }
        place: { type: object, properties: { city: { type: string }, zip: { type: object, properties: { code: { type: string } } } } }
        tags: { type: array, items: { type: string } }
        labels: { type: object, additionalProperties: { type: string } }
        limit: { type: integer }
        sort: { type: string }
        twin_id: { type: string, x-references: things }
  narrow:
    id: client
    schema: { type: object, properties: { open: { type: string }, shut: { type: string } } }
    filterable: [open]
    sortable: [open]
`;

/** Creates four things, the first with every field, the last two a second later. */
export async function fourThings(): Promise<ApiUnderTest> {
  const shop = await apiUnderTest(THINGS);
  await create(shop, 'things', {
    id: 'a',
    name: 'x,y',
    count: 5,
    ratio: 1.5,
    truth: true,
    price: '19.9',
    serial: '9007199254740993',
    at: '2026-01-02T03:04:05.678Z',
    due: '2026-02-03',
    place: { city: 'Oslo', zip: { code: '0150' } },
    tags: ['t'],
    labels: { l: 'm' },
    limit: 7,
    sort: 'up',
  });
  await create(shop, 'things', {
    id: 'b',
    name: 'x',
    count: 0,
    truth: false,
    price: '20',
    twin_id: 'a',
    place: { city: 'oslo' },
  });
  shop.clock.advance(1000);
  await create(shop, 'things', { id: 'c', name: '', count: -1, ratio: 1e21, place: {}, limit: 8 });
  await create(shop, 'things', { id: 'd', name: 'é & +', serial: '-1' });
  return shop;
}
