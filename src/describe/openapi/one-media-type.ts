import { isJsonObject, type Json, type JsonObject } from '../../conventions/json/json.ts';
import { readObject, readString } from '../../model/values/access.ts';

/**
 * Reduces a description to one media type, for generators that make one type of all media types of a body. Bodies
 * that have it have no other; those that do not, such as the form of QUERY, stay as they are. Unused components are
 * left out.
 *
 * @param type such as `application/json`
 * @returns null if no body has the media type
 */
export function withOneMediaType(document: JsonObject, type: string): JsonObject | null {
  const { value, found } = narrowed(document, type);
  return found ? withoutUnused(readObject(value)) : null;
}

interface Narrowed {
  readonly value: Json;
  /** True if any body in the value has the media type. */
  readonly found: boolean;
}

function narrowed(value: Json, type: string): Narrowed {
  if (Array.isArray(value)) {
    const items = value.map((each: Json) => narrowed(each, type));
    return { value: items.map((each) => each.value), found: items.some(({ found }) => found) };
  }
  if (!isJsonObject(value)) return { value, found: false };
  let found = false;
  const members = Object.entries(value).map(([name, member]) => {
    const own = name === 'content' ? readObject(member)[type] : undefined;
    const inner = narrowed(own === undefined ? member : { [type]: own }, type);
    found ||= inner.found || own !== undefined;
    return [name, inner.value];
  });
  return { value: Object.fromEntries(members), found };
}

/** The description without components that nothing refers to. */
function withoutUnused(document: JsonObject): JsonObject {
  const { components, ...others } = document;
  const sections = readObject(components);
  const used = new Set<string>();
  const pending = [...references(others)];
  for (let reference = pending.pop(); reference !== undefined; reference = pending.pop()) {
    if (used.has(reference)) continue;
    used.add(reference);
    const [, , section = '', name = ''] = reference.split('/');
    pending.push(...references(readObject(sections[section])[name] ?? null));
  }
  const kept = Object.entries(sections).map(([section, all]) => {
    // Credentials are referred to by name.
    const isUsed = (name: string): boolean =>
      section === 'securitySchemes' || used.has(`#/components/${section}/${name}`);
    return [section, Object.fromEntries(Object.entries(readObject(all)).filter(([name]) => isUsed(name)))];
  });
  return { ...others, components: Object.fromEntries(kept) };
}

function* references(value: Json): Generator<string, void, undefined> {
  if (typeof value !== 'object' || value === null) return;
  const reference = isJsonObject(value) ? readString(value['$ref']) : null;
  if (reference !== null) yield reference;
  for (const each of Object.values(value)) yield* references(each);
}
