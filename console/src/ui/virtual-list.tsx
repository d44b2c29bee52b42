import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useRef } from 'react';

export interface VirtualListProps {
  readonly count: number;
  /** The height of every row, in pixels. */
  readonly rowHeight: number;
  readonly label: string;
  readonly keyAt: (index: number) => string;
  readonly renderRow: (index: number) => ReactNode;
  readonly className?: string;
}

/** A list of any length, of which only the visible rows are in the page. */
export function VirtualList({ count, rowHeight, label, keyAt, renderRow, className = '' }: VirtualListProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const rows: Virtualizer<HTMLDivElement, Element> = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    getItemKey: keyAt,
    overscan: 8,
  });
  return (
    <div ref={scroller} className={`scroller ${className}`}>
      <ul aria-label={label} className="virtual" style={{ blockSize: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ key, index, start, size }) => (
          <li
            key={key}
            aria-setsize={count}
            aria-posinset={index + 1}
            style={{ blockSize: size, transform: `translateY(${start}px)` }}
          >
            {renderRow(index)}
          </li>
        ))}
      </ul>
    </div>
  );
}
