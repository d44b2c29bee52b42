import type { Json, JsonObject } from '../conventions/json/json.ts';

/** The schema of a value that `init` writes, with comments for the person who reads it. */
export interface SchemaDraft {
  /** Its keywords in order, without those that contain other schemas. */
  readonly keywords: JsonObject;
  /** The members of an object; null for all other types. */
  readonly members: readonly MemberDraft[] | null;
  /** The items of an array; null for all other types. */
  readonly items: SchemaDraft | null;
  /** The values of a map; null for all other types. */
  readonly values: SchemaDraft | null;
  readonly notes: readonly string[];
}

/** A field of a resource, or a member of an object in one. */
export interface MemberDraft {
  readonly name: string;
  readonly required: boolean;
  readonly schema: SchemaDraft;
}

/** A resource that `init` writes. */
export interface ResourceDraft {
  readonly name: string;
  /** Keys before the schema, such as `id` and `noun`, in order. */
  readonly settings: Readonly<Record<string, Json>>;
  /** Its name in the data, where that is another one. */
  readonly source?: string;
  /** Keywords of its schema before the fields, such as its description. */
  readonly keywords?: JsonObject;
  readonly fields: readonly MemberDraft[];
  readonly notes: readonly string[];
  /** True if it is written as a comment, which a person may uncomment. Default: false. */
  readonly isComment?: boolean;
}

/** A model that `init` writes. */
export interface ModelDraft {
  readonly name: string;
  /** Keys between the name and the resources, in order. */
  readonly settings: Readonly<Record<string, Json>>;
  readonly resources: readonly ResourceDraft[];
  /** The comment at the start of the file, a line each. */
  readonly notes: readonly string[];
}

/** A schema of keywords alone. */
export function simpleSchema(keywords: JsonObject, notes: readonly string[] = []): SchemaDraft {
  return { keywords, members: null, items: null, values: null, notes };
}
