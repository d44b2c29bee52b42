/** An operation on a row. Each write writes another value; a value is never written again. */
export type RowOperation =
  /** Without a value: the row does not exist. */
  | { readonly kind: 'read'; readonly value: string | null }
  /** Creates or replaces. `created` as the response says; null where there is none. */
  | { readonly kind: 'put'; readonly value: string; readonly created: boolean | null }
  /** Creates, where the row does not exist. */
  | { readonly kind: 'create'; readonly value: string; readonly done: boolean | null }
  /** Changes an existing row. */
  | { readonly kind: 'change'; readonly value: string; readonly done: boolean | null }
  /** Changes the row if it has a value (`If-Match`). */
  | { readonly kind: 'exchange'; readonly from: string; readonly value: string; readonly done: boolean | null }
  | { readonly kind: 'delete'; readonly done: boolean | null };

/** An operation of a client, from its request to its response. */
export interface Timed {
  readonly operation: RowOperation;
  readonly begun: number;
  /** Infinity where the outcome is not known: it may have taken effect at any later time. */
  readonly ended: number;
}

/**
 * The value after an operation; undefined where it cannot have had its result.
 *
 * @param state the value of the row; null where it does not exist
 */
function step(state: string | null, operation: RowOperation): string | null | undefined {
  switch (operation.kind) {
    case 'read':
      return operation.value === state ? state : undefined;
    case 'put':
      return operation.created === null || operation.created === (state === null) ? operation.value : undefined;
    case 'create':
      return conditional(state, state === null, operation.value, operation.done);
    case 'change':
      return conditional(state, state !== null, operation.value, operation.done);
    case 'exchange':
      return conditional(state, state === operation.from, operation.value, operation.done);
    case 'delete':
      return conditional(state, state !== null, null, operation.done);
  }
}

/** @param possible whether the operation can be done @param done whether it was; null where that is not known */
function conditional(
  state: string | null,
  possible: boolean,
  next: string | null,
  done: boolean | null,
): string | null | undefined {
  if (done !== null && done !== possible) return undefined;
  return possible ? next : state;
}

/** The beginning or the end of an operation, in a list by time. */
interface Entry {
  readonly id: number;
  readonly operation: RowOperation | null;
  readonly end: Entry | null;
  previous: Entry | null;
  next: Entry | null;
}

/**
 * Checks if operations on one row have an order in which every one has its result. Each stands between its request and
 * its response (Wing and Gong, with Lowe's memory of tried orders).
 *
 * @param initial the value before all of them
 */
export function isLinearizable(history: readonly Timed[], initial: string | null = null): boolean {
  const head = linkEntries(history);
  const done = new Uint32Array(Math.ceil(history.length / 32));
  const tried = new Set<string>();
  const taken: { readonly entry: Entry; readonly before: string | null }[] = [];
  let state = initial;
  for (let entry = head.next; head.next !== null; ) {
    if (entry?.operation) {
      const next = step(state, entry.operation);
      if (next !== undefined && isNew(tried, done, entry.id, next)) {
        taken.push({ entry, before: state });
        state = next;
        flip(done, entry.id);
        lift(entry);
        entry = head.next;
      } else entry = entry.next;
      continue;
    }
    // An operation ended before anything could take effect that explains the rest: the last choice was wrong.
    const last = taken.pop();
    if (last === undefined) return false;
    state = last.before;
    flip(done, last.entry.id);
    unlift(last.entry);
    entry = last.entry.next;
  }
  return true;
}

function linkEntries(history: readonly Timed[]): Entry {
  const head: Entry = { id: -1, operation: null, end: null, previous: null, next: null };
  const entries = history.flatMap(({ operation, begun, ended }, id) => {
    const end: Entry = { id, operation: null, end: null, previous: null, next: null };
    const begin: Entry = { id, operation, end, previous: null, next: null };
    return [
      { at: begun, order: 0, entry: begin },
      { at: ended, order: 1, entry: end },
    ];
  });
  // An operation that begins when another ends may have overlapped with it.
  entries.sort((one, other) => (one.at === other.at ? one.order - other.order : one.at - other.at));
  let last = head;
  for (const { entry } of entries) {
    last.next = entry;
    entry.previous = last;
    last = entry;
  }
  return head;
}

function isNew(tried: Set<string>, done: Uint32Array, id: number, state: string | null): boolean {
  flip(done, id);
  const key = `${done.join()} ${String(state)}`;
  flip(done, id);
  if (tried.has(key)) return false;
  tried.add(key);
  return true;
}

function flip(bits: Uint32Array, id: number): void {
  const word = id >>> 5;
  bits[word] = ((bits[word] ?? 0) ^ (1 << (id & 31))) >>> 0;
}

/** Takes an operation out of the list: its beginning and its end. */
function lift({ previous, next, end }: Entry): void {
  if (previous !== null) previous.next = next;
  if (next !== null) next.previous = previous;
  if (end?.previous) end.previous.next = end.next;
  if (end?.next) end.next.previous = end.previous;
}

function unlift(entry: Entry): void {
  const { end } = entry;
  if (end?.previous) end.previous.next = end;
  if (end?.next) end.next.previous = end;
  if (entry.previous !== null) entry.previous.next = entry;
  if (entry.next !== null) entry.next.previous = entry;
}
