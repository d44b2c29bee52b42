/**
 * A reference between two rows to delete. If it is nullable, it can be nullified, so that its target can be deleted
 * first.
 */
export interface ReferenceEdge {
  /** Key of the referring row. */
  readonly from: string;
  readonly field: string;
  readonly nullable: boolean;
}

/** The references to a row, by its key, from other rows to delete. */
type Referrers = (key: string) => readonly ReferenceEdge[];

/** The order of deletion, and the references to nullify beforehand. */
interface DeletionOrder {
  readonly order: readonly string[];
  readonly detached: readonly ReferenceEdge[];
}

/**
 * Orders rows so that referring rows are deleted before the rows they refer to. Nullable references that make this
 * impossible (they are in a cycle) are detached. A cycle without a nullable reference has no valid order: the database
 * refuses it.
 *
 * @param root key of the row from which all others are reachable
 */
export function deletionOrder(root: string, referrers: Referrers): DeletionOrder {
  const all = referrersFirst([root], referrers);
  if (violatedEdges(all, referrers).length === 0) return { order: all, detached: [] };
  const order = referrersFirst(all, (key) => referrers(key).filter(({ nullable }) => !nullable));
  return { order, detached: violatedEdges(order, referrers).filter(({ nullable }) => nullable) };
}

/** The rows in post-order of depth-first traversals, one from each root that no earlier one has reached. */
function referrersFirst(roots: readonly string[], referrers: Referrers): readonly string[] {
  const order: string[] = [];
  const entered = new Set<string>();
  // An explicit stack, because a chain may be as long as the maximum number of rows.
  const stack = roots.toReversed().map((key) => ({ key, leaves: false }));
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

/** The references whose row is deleted after the row that it refers to. */
function violatedEdges(order: readonly string[], referrers: Referrers): readonly ReferenceEdge[] {
  const gone = new Set<string>();
  return order.flatMap((key) => {
    const late = referrers(key).filter(({ from }) => from !== key && !gone.has(from));
    gone.add(key);
    return late;
  });
}
