import type { ReactNode } from 'react';

export interface TableProps {
  readonly label: string;
  /** Titles, which differ. */
  readonly columns: readonly string[];
  /** The rows of the body. */
  readonly children: ReactNode;
}

/** A table in a frame that scrolls. */
export function Table({ label, columns, children }: TableProps) {
  return (
    // The focus makes it scroll by keyboard.
    <div className="table-frame" role="group" tabIndex={0} aria-label={label}>
      <table className="table" aria-label={label}>
        <thead>
          <tr>
            {columns.map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
