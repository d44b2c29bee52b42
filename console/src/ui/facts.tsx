import type { ReactNode } from 'react';

export interface Fact {
  readonly name: string;
  readonly title: string;
  readonly value: ReactNode;
}

/** Values with their titles above them. */
export function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl className="facts">
      {facts.map(({ name, title, value }) => (
        <div key={name}>
          <dt>{title}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
