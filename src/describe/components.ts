import type { JsonObject } from '../conventions/json/json.ts';

/** The sections of the components of a description that this program writes, in their order. */
const SECTIONS = [
  'schemas',
  'responses',
  'parameters',
  'requestBodies',
  'headers',
  'messages',
  'securitySchemes',
] as const;

type ComponentSection = (typeof SECTIONS)[number];

/** The reusable parts of a description. Each is made when it is first referred to, so that none is unused. */
export class Components {
  readonly #sections = emptyComponentSections();
  readonly #references = emptyComponentSections();

  /** The keys of shared components, by section and name. */
  readonly #keys = new Map<string, string>();

  /** A reference to a component. @param make is called for the first reference to its name */
  ref(section: ComponentSection, name: string, make: () => JsonObject): JsonObject {
    const known = this.#references[section].get(name);
    if (known !== undefined) return known;
    const reference = { $ref: `#/components/${section}/${name}` };
    // A schema may refer to itself.
    this.#references[section].set(name, reference);
    this.#sections[section].set(name, {});
    this.#sections[section].set(name, make());
    return reference;
  }

  /**
   * A reference to a component that others may share.
   *
   * @param names of which it gets the first one that no component with another key has
   * @param key equal for two components that are the same
   * @param make gets the name
   * @throws {Error} where components with other keys have all names
   */
  shared(
    section: ComponentSection,
    names: readonly string[],
    key: string,
    make: (name: string) => JsonObject,
  ): JsonObject {
    const isFree = (name: string): boolean => (this.#keys.get(`${section} ${name}`) ?? key) === key;
    const name = names.find(isFree);
    if (name === undefined) throw new Error(`the names ${names.join(', ')} belong to other components`);
    this.#keys.set(`${section} ${name}`, key);
    return this.ref(section, name, () => make(name));
  }

  /** Everything that was referred to, in the order of the first references. */
  toJson(): JsonObject {
    const used = SECTIONS.filter((section) => this.#sections[section].size > 0);
    return Object.fromEntries(used.map((section) => [section, Object.fromEntries(this.#sections[section])]));
  }
}

function emptyComponentSections(): Readonly<Record<ComponentSection, Map<string, JsonObject>>> {
  return {
    schemas: new Map(),
    responses: new Map(),
    parameters: new Map(),
    requestBodies: new Map(),
    headers: new Map(),
    messages: new Map(),
    securitySchemes: new Map(),
  };
}
