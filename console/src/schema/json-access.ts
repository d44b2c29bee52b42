/** Any object of JSON. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** The object; an empty one for any other value. */
export function asRecord(value: unknown): JsonRecord {
  return isRecord(value) ? value : {};
}

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The list; an empty one for any other value. */
export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The texts of a list, or a text as a list of one. */
export function asTexts(value: unknown): readonly string[] {
  return [value].flat().filter((each) => typeof each === 'string');
}

/** The text; null for any other value. */
export function asText(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** Reads a document whose parts refer to each other (`$ref`). */
export class JsonDocument {
  readonly root: JsonRecord;

  constructor(root: JsonRecord) {
    this.root = root;
  }

  /** The value with its first reference followed; an empty object if it leads nowhere. */
  follow(value: unknown): JsonRecord {
    const reference = asText(asRecord(value)['$ref']);
    return reference === null ? asRecord(value) : this.follow(this.#find(reference));
  }

  #find(reference: string): unknown {
    if (!reference.startsWith('#/')) return {};
    const keys = reference.slice(2).split('/');
    return keys.reduce<unknown>(
      (value, key) => asRecord(value)[key.replaceAll('~1', '/').replaceAll('~0', '~')],
      this.root,
    );
  }
}

/** The last part of a reference: the name of a component. */
export function referenceName(value: unknown): string | null {
  return asText(asRecord(value)['$ref'])?.split('/').at(-1) ?? null;
}
