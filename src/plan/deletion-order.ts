/** A reference from one row that goes to another. Loose ones can be unset, so that the row referred to may go first. */
export interface ReferenceEdge {
  /** Key of the row that refers. */
  readonly from: string;
  readonly field: string;
  readonly nullable: boolean;
}

/** The references to a row, by its key. They come from rows that go. */
export type Referrers = (key: string) => readonly ReferenceEdge[];

/** In which order rows go, and which references have to be unset before the first one does. */
export interface DeletionOrder {
  readonly order: readonly string[];
  readonly detached: readonly ReferenceEdge[];
}

/**
 * Orders rows so that whoever refers goes before what it refers to. Where circles do not let all references be kept so, those that are not
 * loose are, and the loose ones that stand in the way are detached. A circle without a loose one has no order: the database refuses it.
 *
 * @param root key of the row to which all others are tied, by references that are not loose
 */
export function deletionOrder(root: string, referrers: Referrers): DeletionOrder {
  const all = referrersFirst(root, referrers);
  if (violated(all, referrers).length === 0) return { order: all, detached: [] };
  const order = referrersFirst(root, (key) => referrers(key).filter(({ nullable }) => !nullable));
  return { order, detached: violated(order, referrers).filter(({ nullable }) => nullable) };
}

/** The rows in the order in which a walk along the references leaves them. */
function referrersFirst(root: string, referrers: Referrers): readonly string[] {
  const order: string[] = [];
  const entered = new Set<string>();
  // An explicit stack: a chain of rows may be as long as the bound on their number.
  const stack = [{ key: root, leaves: false }];
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    if (top.leaves) order.push(top.key);
    else if (!entered.has(top.key)) {
      entered.add(top.key);
      stack.push({ key: top.key, leaves: true });
      for (const { from } of referrers(top.key)) stack.push({ key: from, leaves: false });
    }
  }
  return order;
}

/** The references whose row goes after the row that it refers to. */
function violated(order: readonly string[], referrers: Referrers): readonly ReferenceEdge[] {
  const gone = new Set<string>();
  return order.flatMap((key) => {
    const late = referrers(key).filter(({ from }) => from !== key && !gone.has(from));
    gone.add(key);
    return late;
  });
}
