import { Component, type ReactNode } from 'react';
import { texts } from '../texts.ts';
import { Failure } from '../ui/notice.tsx';

interface BoundaryState {
  readonly error: unknown;
}

/** Shows an exception of a view in its place, so that the rest of the page stays usable. */
export class ErrorBoundary extends Component<{ readonly children: ReactNode }, BoundaryState> {
  override readonly state: BoundaryState = { error: null };

  static getDerivedStateFromError(error: unknown): BoundaryState {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    return (
      <Failure
        title={texts.unexpected}
        text={error instanceof Error ? error.message : ''}
        retryLabel={texts.retry}
        onRetry={() => this.setState({ error: null })}
      />
    );
  }
}
