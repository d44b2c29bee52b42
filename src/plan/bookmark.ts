/** A named value that commits together with a unit, such as the progress of an import. */
export interface Bookmark {
  readonly name: string;
  readonly value: string;
}
