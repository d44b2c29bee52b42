import type { Json } from '../../conventions/json/json.ts';
import type { Pair } from '../../model/diff/comparers.ts';
import type { Difference, Place } from '../../model/diff/difference.ts';
import type { SchemaForm, SchemaReader } from './schema-form.ts';

/** The place of a schema. */
export interface SchemaPlace extends Place {
  /** True if its values are the members of a form, which are all text. */
  readonly isForm?: boolean;
}

/** Compares the schemas of two descriptions. Its parts call it for the schemas inside theirs. */
export interface SchemaComparer {
  readonly readers: Pair<SchemaReader>;
  /**
   * The differences of two schemas that have not been found before.
   *
   * @param at its path is replaced by the name of a component
   * @throws {DescriptionError} schemas that are nested too deeply, too many of them, or a reference that cannot be
   *   followed
   */
  readonly compare: (was: Json | undefined, is: Json | undefined, at: SchemaPlace) => readonly Difference[];
  /** The same for schemas that have been read. */
  readonly compareForms: (forms: Pair<SchemaForm>, at: SchemaPlace) => readonly Difference[];
}
