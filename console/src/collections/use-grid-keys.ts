import { type KeyboardEvent, type RefObject, useEffect } from 'react';

/** A cell of a grid: the indexes of its row, the titles first, and of its column. */
interface CellPosition {
  readonly row: number;
  readonly column: number;
}

/**
 * Moves the focus between the cells of a table by keys, as the grid pattern of ARIA does. One cell is reached by Tab,
 * the others by arrows, Home, End, Page Up and Page Down. Enter opens the row.
 *
 * @param onFirst called for Control and Home, before the focus moves to the first loaded row
 */
export function useGridKeys(table: RefObject<HTMLTableElement | null>, onFirst: () => void) {
  // Each render may add cells.
  useEffect(() => {
    if (table.current !== null) markReachable(table.current);
  });
  return {
    onFocus: () => {
      if (table.current !== null) markReachable(table.current);
    },
    onKeyDown: (event: KeyboardEvent) => {
      const cell = findCell(event.target);
      if (cell === null || table.current === null) return;
      if (event.key === 'Enter' && event.target instanceof Element && !event.target.matches('a, button')) {
        cell.closest('tr')?.querySelector<HTMLElement>('th a')?.click();
        return;
      }
      const next = findNext(event, cell, table.current);
      if (next === null) return;
      event.preventDefault();
      if (event.key === 'Home' && event.ctrlKey) onFirst();
      const row = table.current.rows[Math.max(0, Math.min(table.current.rows.length - 1, next.row))];
      const target = row?.cells[Math.max(0, Math.min(row.cells.length - 1, next.column))];
      if (target !== undefined) findWidget(target).focus();
    },
  };
}

/** The cell that a key leads to; null for keys of other meanings. */
function findNext(
  { key, ctrlKey }: KeyboardEvent,
  cell: HTMLTableCellElement,
  table: HTMLTableElement,
): CellPosition | null {
  const row = cell.closest('tr')?.rowIndex ?? 0;
  const column = cell.cellIndex;
  const last = table.rows.length - 1;
  const page = Math.max(1, Math.floor((table.parentElement?.clientHeight ?? 0) / cell.offsetHeight) - 1);
  const forward = getComputedStyle(table).direction === 'rtl' ? -1 : 1;
  switch (key) {
    case 'ArrowUp':
      return { row: row - 1, column };
    case 'ArrowDown':
      return { row: row + 1, column };
    case 'ArrowLeft':
      return { row, column: column - forward };
    case 'ArrowRight':
      return { row, column: column + forward };
    case 'PageUp':
      return { row: Math.max(1, row - page), column };
    case 'PageDown':
      return { row: row + page, column };
    case 'Home':
      return { row: ctrlKey ? 1 : row, column: 0 };
    case 'End':
      return { row: ctrlKey ? last : row, column: Number.MAX_SAFE_INTEGER };
    default:
      return null;
  }
}

/** Lets Tab reach the cell with the focus alone; the cell that had it, or the first one, if none has. */
function markReachable(table: HTMLTableElement): void {
  const cells = [...table.rows].flatMap((row) => [...row.cells]).map(findWidget);
  const active =
    cells.find((cell) => cell === document.activeElement) ?? cells.find(({ tabIndex }) => tabIndex === 0) ?? cells[0];
  for (const cell of cells) cell.tabIndex = cell === active ? 0 : -1;
}

function findCell(target: EventTarget): HTMLTableCellElement | null {
  return target instanceof Element ? target.closest<HTMLTableCellElement>('td, th') : null;
}

/** The element of a cell that gets the focus: its link, button or box, else the cell. */
function findWidget(cell: HTMLTableCellElement): HTMLElement {
  return cell.querySelector<HTMLElement>('a, button, input') ?? cell;
}
