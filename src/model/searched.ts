import type { Declaration } from './declaration.ts';
import { textsOf } from './declared.ts';
import type { Property } from './model.ts';
import { nameFix } from './unknown-name.ts';

/** The paths that `q` searches: readable texts and lists of texts, also inside objects (QRY-6, REP-11). */
export function compileSearch(
  properties: ReadonlyMap<string, Property>,
  { declared, path, report }: Declaration,
): readonly string[] {
  const searchable = [...properties.values()].filter(holdsText).map((property) => property.path);
  const searched = textsOf(declared['search']);
  for (const [index, each] of searched.entries()) {
    if (searchable.includes(each)) continue;
    const fix = nameFix(each, searchable, 'name a readable field that holds text');
    report([...path, 'search', index], `${each} is no readable field that holds text`, fix);
  }
  return searched;
}

function holdsText({ type }: Property): boolean {
  return (type.kind === 'array' ? type.item.type : type).kind === 'text';
}
