import { useState } from 'react';
import { texts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import type { ConflictSide, FieldConflict, RowConflict } from './merge-rows.ts';
import { Value } from './value.tsx';

export interface ConflictDialogProps {
  readonly conflict: RowConflict;
  readonly onResolve: (sides: ReadonlyMap<string, ConflictSide>) => void;
  readonly onClose: () => void;
}

/** Three-way view of a row that two people changed: takes one side of each field. */
export function ConflictDialog({ conflict, onResolve, onClose }: ConflictDialogProps) {
  const [sides, setSides] = useState<ReadonlyMap<string, ConflictSide>>(new Map());
  const { fields, others } = conflict;
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={texts.row.conflictTitle}
      description={fields.length === 0 ? texts.row.noConflict : texts.row.conflictHint}
    >
      {fields.map((each) => (
        <ConflictField
          key={each.field.name}
          conflict={each}
          side={sides.get(each.field.name)}
          onSide={(side) => setSides(new Map([...sides, [each.field.name, side]]))}
        />
      ))}
      {others.length > 0 && (
        <p className="hint">{texts.row.othersChanged(others.map(({ title }) => title).join(', '))}</p>
      )}
      <div className="actions">
        <Button look="primary" disabled={sides.size < fields.length} onClick={() => onResolve(sides)}>
          {texts.row.saveMerged}
        </Button>
        <Button onClick={onClose}>{texts.cancel}</Button>
      </div>
    </Dialog>
  );
}

interface ConflictFieldProps {
  readonly conflict: FieldConflict;
  readonly side: ConflictSide | undefined;
  readonly onSide: (side: ConflictSide) => void;
}

function ConflictField({ conflict, side, onSide }: ConflictFieldProps) {
  const { field } = conflict;
  return (
    <fieldset className="group">
      <legend className="label">{field.title}</legend>
      {(['mine', 'theirs'] as const).map((each) => (
        <label key={each} className="side">
          <input type="radio" name={`side-${field.name}`} checked={side === each} onChange={() => onSide(each)} />
          <span className="hint">{texts.row[each]}</span>
          <Value value={conflict[each]} />
        </label>
      ))}
      <div className="side">
        <span />
        <span className="hint">{texts.row.base}</span>
        <Value value={conflict.base} />
      </div>
    </fieldset>
  );
}
