import type { Resource } from '../../model/model.ts';

/** The names of the declarations of a resource. */
interface DeclarationNames {
  /** The type of items: `OrderItem`. */
  readonly item: string;
  /** The type of new items: `NewOrderItem`. */
  readonly body: string;
  /** All types of the resource: `OrderItemTypes`. */
  readonly types: string;
}

/** Names that the file imports or declares besides. */
const TAKEN = ['Api', 'ItemMembers', 'ListFilter', 'ScalarFilter', 'TextFilter'];

/** The names of the declarations of one file: each is given once. */
export class DeclaredNames {
  readonly #taken = new Set(TAKEN);

  /** The names for a resource; with a number where another resource has them. */
  of({ singular }: Pick<Resource, 'singular'>): DeclarationNames {
    const pascal = singular.replaceAll(/(?:^|_)(.)/g, (_, first: string) => first.toUpperCase());
    for (let count = 1; ; count += 1) {
      const item = count === 1 ? pascal : `${pascal}${count}`;
      const names = { item, body: `New${item}`, types: `${item}Types` };
      const all = Object.values(names);
      if (all.some((name) => this.#taken.has(name))) continue;
      for (const name of all) this.#taken.add(name);
      return names;
    }
  }
}
