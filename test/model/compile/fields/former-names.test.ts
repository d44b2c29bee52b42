import { describe, it } from 'node:test';
import { itemsDocument, load, rejectsProperties } from '../../loading.ts';

const object = (members: string): string => `place: { type: object, properties: { ${members} } }`;

describe('former names of members (x-was)', () => {
  rejectsProperties([
    [
      'are not those of other members',
      object('town: { type: string }, city: { type: string, x-was: town }'),
      'place.properties.city.x-was',
      /town is in use by another member/,
      /previous name of this member/,
    ],
    [
      'are not those of members that stand below',
      object('city: { type: string, x-was: town }, town: { type: string }'),
      'place.properties.city.x-was',
      /town is in use/,
      /previous name/,
    ],
    [
      'are those of one member, whatever its object is',
      object(
        'city: { type: string, x-was: town }, address: { type: object, properties: { city: { type: string, x-was: place.town } } }',
      ),
      'place.properties.address.properties.city.x-was',
      /place\.town is in use/,
      /previous name/,
    ],
    [
      'are not the present ones',
      object('city: { type: string, x-was: city }'),
      'place.properties.city.x-was',
      /city is the name of this member/,
      /move in versions/,
    ],
    [
      'do not lead into another field',
      object('city: { type: string, x-was: address.city }'),
      'place.properties.city.x-was',
      /address\.city is not in the same object, place/,
      /begins with place\.; versions can move/,
    ],
    [
      'do not lead out of an item of a list',
      object('lines: { type: array, items: { type: object, properties: { no: { type: string, x-was: place.no } } } }'),
      'place.properties.lines.items.properties.no.x-was',
      /place\.no is not in the same object, place\.lines/,
      /begins with place\.lines\./,
    ],
    [
      'of a field are no paths',
      'city: { type: string, x-was: place.city }',
      'city.x-was',
      /place\.city is not in the same row/,
      /versions can move a member out of an object/,
    ],
    [
      'are none of items',
      'lines: { type: array, items: { type: string, x-was: a } }',
      'lines.items.x-was',
      /fields of a resource only/,
      /declare it on the field/,
    ],
  ]);

  it('may be paths in the object of a field, an item or a value of a map, by its former or its present name', () => {
    const moved = (was: string): string => `in: { type: object, properties: { no: { type: string, x-was: ${was} } } }`;
    load(itemsDocument(`box: { type: object, x-was: place, properties: { ${moved('place.no')} } }`));
    load(itemsDocument(`box: { type: object, x-was: place, properties: { ${moved('box.no')} } }`));
    load(itemsDocument(`lines: { type: array, items: { type: object, properties: { ${moved('lines.no')} } } }`));
    load(
      itemsDocument(
        `map: { type: object, additionalProperties: { type: object, properties: { ${moved('map.no')} } } }`,
      ),
    );
  });
});
