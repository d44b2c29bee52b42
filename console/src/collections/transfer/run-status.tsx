import { texts } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { Failure } from '../../ui/notice.tsx';
import type { RunState } from './use-run.ts';

export interface RunStatusProps {
  readonly run: RunState;
  readonly onContinue: () => void;
  /** The sentences of each state. */
  readonly texts: { readonly progress: string; readonly stopped: string; readonly done: string };
}

/** The progress of work that takes long, with the buttons that stop and continue it. */
export function RunStatus({ run, onContinue, texts: own }: RunStatusProps) {
  switch (run.state) {
    case 'idle':
      return null;
    case 'running':
      return (
        <>
          <p role="status">{run.waitsFor === null ? own.progress : texts.transfer.waiting(run.waitsFor)}</p>
          <Button className="fit" onClick={run.stop}>
            {texts.transfer.stop}
          </Button>
        </>
      );
    case 'stopped':
      return (
        <>
          <p role="status">{own.stopped}</p>
          <Button className="fit" look="primary" onClick={onContinue}>
            {texts.transfer.continue}
          </Button>
        </>
      );
    case 'failed':
      return (
        <Failure
          title={own.stopped}
          text={run.error?.message ?? texts.unexpected}
          retryLabel={texts.transfer.continue}
          onRetry={onContinue}
        />
      );
    case 'done':
      return <p role="status">{own.done}</p>;
  }
}
