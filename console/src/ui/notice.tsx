import type { ReactNode } from 'react';
import { Button } from './button.tsx';

/** A page that waits. */
export function Loading({ text }: { readonly text: string }) {
  return (
    <p role="status" className="loading">
      {text}
    </p>
  );
}

export interface FailureProps {
  readonly title: string;
  readonly text: string;
  readonly retryLabel: string;
  readonly onRetry: () => void;
}

/** A part of a page that could not be shown, with another attempt. */
export function Failure({ title, text, retryLabel, onRetry }: FailureProps) {
  return (
    <div role="alert" className="notice failure">
      <strong>{title}</strong>
      <span>{text}</span>
      <Button onClick={onRetry}>{retryLabel}</Button>
    </div>
  );
}

/** A note across the page. */
export function Notice({ children }: { readonly children: ReactNode }) {
  return (
    <div role="status" className="notice">
      {children}
    </div>
  );
}
