import { useQueryClient } from '@tanstack/react-query';
import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react';
import type { Row } from '../api/calls.ts';

/** Pixels before an end of the loaded rows at which the next page is read. */
const MARGIN = 600;

/** Loaded rows between pages that may be read. */
export interface RowWindow {
  readonly rows: readonly Row[];
  /** Reads the page before the rows; null if there is none, or a page is being read. */
  readonly onEarlier: (() => void) | null;
  /** Reads the page after the rows; null if there is none, or a page is being read. */
  readonly onLater: (() => void) | null;
}

/** The first or last row after a render: its id, and pixels below the top of the table. */
interface RowPlace {
  readonly id: string;
  readonly top: number;
}

/**
 * Reads pages as a table is scrolled to an end of its rows. What people see stays in place while rows before it come
 * and go, and when they return to the grid.
 *
 * @param positionKey the key of the rows: the place is stored by it as long as the rows are
 */
export function useScrollWindow(
  frame: RefObject<HTMLElement | null>,
  { rows, onEarlier, onLater }: RowWindow,
  positionKey: readonly unknown[],
) {
  const queries = useQueryClient();
  const places = useRef<readonly RowPlace[]>([]);
  const position = useRef<number | null>(null);
  const key = JSON.stringify(positionKey);
  const readMore = (): void => {
    const { current } = frame;
    if (current === null) return;
    if (current.scrollTop < MARGIN && onEarlier !== null) onEarlier();
    else if (current.scrollHeight - current.clientHeight - current.scrollTop < MARGIN) onLater?.();
  };
  const latest = useRef(readMore);
  latest.current = readMore;
  useLayoutEffect(() => {
    if (frame.current === null) return;
    const next = placeRows(frame.current, rows);
    const old = places.current.find(({ id }) => next.has(id));
    if (old !== undefined) frame.current.scrollTop += (next.get(old.id) ?? old.top) - old.top;
    position.current ??= queries.getQueryData<number>(['position', key]) ?? 0;
    if (places.current.length === 0) frame.current.scrollTop = position.current;
    places.current = [rows[0], rows.at(-1)].flatMap((row) =>
      row === undefined ? [] : [{ id: row.id, top: next.get(row.id) ?? 0 }],
    );
  }, [rows, frame, queries, key]);
  useEffect(() => {
    if (rows.length > 0) latest.current();
  }, [rows]);
  // A grid that takes the place of this one reads the place in its own layout effect.
  useLayoutEffect(() => () => void queries.setQueryData(['position', key], position.current ?? 0), [queries, key]);
  return () => {
    position.current = frame.current?.scrollTop ?? 0;
    readMore();
  };
}

/** The pixels of each row below the top of its table, by id. */
function placeRows(frame: HTMLElement, rows: readonly Row[]): ReadonlyMap<string, number> {
  const elements = frame.querySelectorAll<HTMLElement>('tbody > tr');
  return new Map(rows.map(({ id }, index) => [id, elements[index]?.offsetTop ?? 0]));
}
