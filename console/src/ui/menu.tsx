import { Menu as Base } from '@base-ui/react/menu';
import type { ReactNode } from 'react';

/** A button that opens a list of actions. */
export function Menu({ label, children }: { readonly label: ReactNode; readonly children: ReactNode }) {
  return (
    <Base.Root>
      <Base.Trigger className="button plain">{label}</Base.Trigger>
      <Base.Portal>
        <Base.Positioner className="above" sideOffset={4} align="end">
          <Base.Popup className="popup menu">{children}</Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

export interface MenuItemProps {
  readonly onSelect: () => void;
  readonly children: ReactNode;
}

export function MenuItem({ onSelect, children }: MenuItemProps) {
  return (
    <Base.Item className="option" onClick={onSelect}>
      {children}
    </Base.Item>
  );
}

export interface MenuCheckboxProps {
  readonly isChecked: boolean;
  readonly onChange: (isChecked: boolean) => void;
  readonly children: ReactNode;
}

/** An item of a menu that stays open when it is checked. */
export function MenuCheckbox({ isChecked, onChange, children }: MenuCheckboxProps) {
  return (
    <Base.CheckboxItem className="option" checked={isChecked} onCheckedChange={onChange} closeOnClick={false}>
      <span className="check" aria-hidden="true">
        {isChecked ? '✓' : ''}
      </span>
      {children}
    </Base.CheckboxItem>
  );
}
