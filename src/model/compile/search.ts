import type { CompileContext } from '../document/compile-context.ts';
import { stringsOf } from '../values/access.ts';
import type { Property } from '../model.ts';
import { suggestName } from '../document/unknown-name.ts';

/** The paths that `q` searches: readable texts and lists of texts, also inside objects (QRY-6, REP-11). */
export function compileSearch(
  properties: ReadonlyMap<string, Property>,
  { declared, path, report }: CompileContext,
): readonly string[] {
  const searchable = [...properties.values()].filter(holdsText).map((property) => property.path);
  const searched = stringsOf(declared['search']);
  for (const [index, each] of searched.entries()) {
    if (searchable.includes(each)) continue;
    const fix = suggestName(each, searchable, 'name a readable field that holds text');
    report([...path, 'search', index], `${each} is no readable field that holds text`, fix);
  }
  return searched;
}

function holdsText({ type }: Property): boolean {
  return (type.kind === 'array' ? type.item.type : type).kind === 'text';
}
