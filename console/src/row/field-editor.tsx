import { createContext, type ReactNode, use } from 'react';
import type { ApiField } from '../schema/api-schema.ts';
import { texts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { createDraft, type Draft, type Problems, UNSET } from './draft.ts';
import { FileInput } from './file-input.tsx';
import { ReferenceInput } from './reference-input.tsx';
import { ScalarInput } from './scalar-input.tsx';

/** The faults that the fields of a form show. */
export const ProblemsContext = createContext<Problems>(new Map());

export interface EditorProps {
  readonly field: ApiField;
  readonly draft: Draft;
  /** The path by which the API names it in its errors. */
  readonly path: string;
  /** The name for people; default: that of the field. */
  readonly label?: string;
  /** True for an item of a list or a value of a map, which is removed instead of cleared. */
  readonly isPart?: boolean;
  readonly onDraft: (draft: Draft) => void;
}

/** Edits one value of any kind, with everything inside of it. */
export function FieldEditor(props: EditorProps) {
  const kind: string = props.field.kind;
  switch (kind) {
    case 'object':
      return <ObjectEditor {...props} />;
    case 'list':
      return <ListEditor {...props} />;
    case 'map':
      return <MapEditor {...props} />;
    default:
      return <ScalarEditor {...props} />;
  }
}

function ScalarEditor({ field, draft, path, label = field.title, isPart = false, onDraft }: EditorProps) {
  const error = use(ProblemsContext).get(path) ?? null;
  const text = draft.form === 'text' ? draft.text : null;
  const onText = (next: string | null): void => onDraft(next === null ? UNSET : { form: 'text', text: next });
  const name = (
    <>
      {label}
      {field.required && <span className="hint"> {texts.row.required}</span>}
    </>
  );
  return (
    <Field label={name} hint={<Hints field={field} />} error={error}>
      <div className="value">
        <Control field={field} text={text} label={label} onText={onText} />
        {text !== null && !field.required && !isPart && <ClearButton label={label} onClear={() => onText(null)} />}
      </div>
    </Field>
  );
}

export interface ControlProps {
  readonly field: ApiField;
  /** The text of the value; null if it is not set. */
  readonly text: string | null;
  readonly label: string;
  readonly onText: (text: string | null) => void;
}

function Control(props: ControlProps) {
  const { reference, kind } = props.field;
  if (kind === 'binary') return <FileInput {...props} />;
  return reference === null ? <ScalarInput {...props} /> : <ReferenceInput {...props} reference={reference} />;
}

function Hints({ field }: { readonly field: ApiField }): ReactNode {
  const { kind, description, writeOnly, mediaType } = field;
  const hints = [
    description,
    kind === 'date-time' ? texts.row.timeHint : null,
    kind === 'time' ? texts.row.clockHint : null,
    kind === 'json' ? texts.row.jsonHint : null,
    kind === 'binary' && mediaType !== null ? texts.row.fileHint(mediaType) : null,
    writeOnly ? texts.row.secretHint : null,
  ].filter((each) => each !== null);
  return hints.length === 0 ? null : hints.join(' · ');
}

interface GroupProps {
  readonly label: string;
  readonly path: string;
  readonly description: string | null;
  readonly children: ReactNode;
}

/** Values that belong together, with the faults of the whole. */
function Group({ label, path, description, children }: GroupProps) {
  const error = use(ProblemsContext).get(path);
  return (
    <fieldset className="group" aria-invalid={error === undefined ? undefined : true} tabIndex={-1}>
      <legend className="label">{label}</legend>
      {description !== null && <p className="hint">{description}</p>}
      {children}
      {error !== undefined && <p className="error-text">{error}</p>}
    </fieldset>
  );
}

function ObjectEditor({ field, draft, path, label = field.title, isPart = false, onDraft }: EditorProps) {
  const members = draft.form === 'object' ? draft.members : null;
  return (
    <Group label={label} path={path} description={field.description}>
      {members === null ? (
        <Button
          onClick={({ currentTarget }) => {
            focusNear(currentTarget);
            onDraft(createDraft(field));
          }}
        >
          {texts.row.set(label)}
        </Button>
      ) : (
        <>
          {field.members.map((member) => (
            <FieldEditor
              key={member.name}
              field={member}
              draft={members[member.name] ?? UNSET}
              path={`${path}.${member.name}`}
              onDraft={(next) => onDraft({ form: 'object', members: { ...members, [member.name]: next } })}
            />
          ))}
          {!field.required && !isPart && <ClearButton label={label} onClear={() => onDraft(UNSET)} />}
        </>
      )}
    </Group>
  );
}

function ListEditor({ field, draft, path, label = field.title, onDraft }: EditorProps) {
  const { item } = field;
  const items = draft.form === 'list' ? draft.items : [];
  if (item === null) return null;
  return (
    <Group label={label} path={path} description={field.description}>
      {items.map((each, index) => {
        const name = texts.row.item(label, index);
        return (
          <div key={`${path}[${index}]`} className="part">
            <FieldEditor
              field={item}
              isPart
              draft={each}
              path={`${path}[${index}]`}
              label={name}
              onDraft={(next) => onDraft({ form: 'list', items: items.with(index, next) })}
            />
            <RemoveButton name={name} onRemove={() => onDraft({ form: 'list', items: items.toSpliced(index, 1) })} />
          </div>
        );
      })}
      <Button onClick={() => onDraft({ form: 'list', items: [...items, createDraft(item)] })}>
        {texts.row.add(label)}
      </Button>
    </Group>
  );
}

function MapEditor({ field, draft, path, label = field.title, isPart = false, onDraft }: EditorProps) {
  const { item } = field;
  const entries = draft.form === 'map' ? draft.entries : [];
  const problems = use(ProblemsContext);
  if (item === null) return null;
  return (
    <Group label={label} path={path} description={field.description}>
      {entries.map(({ key, value }, index) => (
        <div key={`${path}.${index}`} className="part">
          <label className="field">
            <span className="label">{texts.row.key}</span>
            <input
              className="control"
              value={key}
              aria-invalid={problems.has(`${path}.${key}`) ? true : undefined}
              onChange={({ currentTarget }) =>
                onDraft({ form: 'map', entries: entries.with(index, { key: currentTarget.value, value }) })
              }
            />
          </label>
          <FieldEditor
            field={item}
            isPart
            draft={value}
            path={`${path}.${key}`}
            label={texts.row.valueFor(key)}
            onDraft={(next) => onDraft({ form: 'map', entries: entries.with(index, { key, value: next }) })}
          />
          <RemoveButton name={key} onRemove={() => onDraft({ form: 'map', entries: entries.toSpliced(index, 1) })} />
        </div>
      ))}
      <div className="actions">
        <Button onClick={() => onDraft({ form: 'map', entries: [...entries, { key: '', value: createDraft(item) }] })}>
          {texts.row.add(label)}
        </Button>
        {draft.form === 'map' && !field.required && !isPart && (
          <ClearButton label={label} onClear={() => onDraft(UNSET)} />
        )}
      </div>
    </Group>
  );
}

function ClearButton({ label, onClear }: { readonly label: string; readonly onClear: () => void }) {
  return (
    <Button
      look="quiet"
      aria-label={texts.row.clearField(label)}
      onClick={({ currentTarget }) => {
        focusNear(currentTarget);
        onClear();
      }}
    >
      {texts.row.clear}
    </Button>
  );
}

function RemoveButton({ name, onRemove }: { readonly name: string; readonly onRemove: () => void }) {
  return (
    <Button
      look="quiet"
      onClick={({ currentTarget }) => {
        focusNear(currentTarget);
        onRemove();
      }}
    >
      {texts.row.remove(name)}
    </Button>
  );
}

/** Keeps the focus where a button was that is about to leave: at its control, else at its group. */
function focusNear(button: HTMLElement): void {
  const control = button.closest('.value')?.querySelector<HTMLElement>('.control');
  (control ?? button.closest<HTMLElement>('.group'))?.focus();
}
