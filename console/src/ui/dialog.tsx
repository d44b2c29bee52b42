import { Dialog as Base } from '@base-ui/react/dialog';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';

export interface DialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly description?: ReactNode;
  /** The name of the button that closes it; none without one. */
  readonly closeLabel?: string;
  readonly children: ReactNode;
}

/** A modal dialog. It keeps the focus inside, and gives it back when it closes. */
export function Dialog({ isOpen, onClose, title, description, closeLabel, children }: DialogProps) {
  return (
    <Base.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="backdrop" />
        <Base.Popup className="dialog">
          <Base.Title className="dialog-title">{title}</Base.Title>
          {description !== undefined && <Base.Description className="hint">{description}</Base.Description>}
          {children}
          {closeLabel !== undefined && (
            <Base.Close render={<Button look="quiet" className="dialog-close" />}>{closeLabel}</Base.Close>
          )}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
