import { Combobox as Base } from '@base-ui/react/combobox';

export interface ComboboxOption {
  readonly value: string;
  readonly label: string;
}

export interface ComboboxProps {
  readonly label: string;
  readonly options: readonly ComboboxOption[];
  readonly value: ComboboxOption | null;
  readonly onValue: (value: ComboboxOption | null) => void;
  /** Called with what is typed, where the options are searched elsewhere. */
  readonly onSearch?: (text: string) => void;
  readonly placeholder?: string;
  readonly emptyText: string;
}

/** One of many values, found by typing. */
export function Combobox({ label, options, value, onValue, onSearch, placeholder, emptyText }: ComboboxProps) {
  return (
    <Base.Root
      items={options}
      value={value}
      onValueChange={onValue}
      isItemEqualToValue={(a, b) => a.value === b.value}
      {...(onSearch === undefined ? {} : { onInputValueChange: onSearch, filter: null })}
    >
      <Base.Input className="control" aria-label={label} placeholder={placeholder} />
      <Base.Portal>
        <Base.Positioner className="above" sideOffset={4}>
          <Base.Popup className="popup">
            <Base.Empty className="hint">{emptyText}</Base.Empty>
            <Base.List className="options">
              {(option: ComboboxOption) => (
                <Base.Item key={option.value} value={option} className="option">
                  {option.label}
                </Base.Item>
              )}
            </Base.List>
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
