import { useBlocker } from '@tanstack/react-router';
import { texts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';

/** Asks before a page with unsaved changes is left. @param isDirty is read when somebody wants to leave */
export function LeaveGuard({ isDirty }: { readonly isDirty: () => boolean }) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: isDirty,
    enableBeforeUnload: isDirty,
    withResolver: true,
  });
  if (status !== 'blocked') return null;
  return (
    <Dialog isOpen onClose={reset} title={texts.row.leaveTitle} description={texts.row.leaveHint}>
      <div className="actions">
        <Button look="primary" onClick={reset}>
          {texts.row.stay}
        </Button>
        <Button look="danger" onClick={proceed}>
          {texts.row.leave}
        </Button>
      </div>
    </Dialog>
  );
}
