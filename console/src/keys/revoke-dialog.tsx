import { useMutation } from '@tanstack/react-query';
import type { Row } from '../api/calls.ts';
import { useConnection } from '../api/connection.ts';
import type { ApiCollection } from '../schema/api-schema.ts';
import { texts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { readMember } from './new-key.ts';

export interface RevokeDialogProps {
  readonly collection: ApiCollection;
  readonly row: Row;
  readonly onClose: () => void;
  readonly onRevoked: () => void;
}

/** Asks before a key is revoked, because nothing restores it. */
export function RevokeDialog({ collection, row, onClose, onRevoked }: RevokeDialogProps) {
  const { calls } = useConnection();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => calls.run(() => calls.collection(collection).delete(row.id)),
    onSuccess: onRevoked,
  });
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={texts.keys.revokeTitle(readMember(row, 'name'))}
      description={texts.keys.revokeHint}
      closeLabel={texts.cancel}
    >
      {error !== null && (
        <p role="alert" className="error-text">
          {error.message}
        </p>
      )}
      <Button look="danger" disabled={isPending} onClick={() => mutate()}>
        {texts.keys.revoke}
      </Button>
    </Dialog>
  );
}
