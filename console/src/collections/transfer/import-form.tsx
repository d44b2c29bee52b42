import { useState } from 'react';
import { webPlatform } from '../../../../src/platform/web.ts';
import type { ParentIds } from '../../api/calls.ts';
import type { ApiCollection, ApiField } from '../../schema/api-schema.ts';
import { texts } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { Field, Input, Select } from '../../ui/field.tsx';
import { type ColumnMapping, type FileColumn, listTargets, proposeMapping, readColumns } from './file-columns.ts';
import { findInterrupted, type InterruptedImport, nameImport } from './interrupted-imports.ts';
import { detectForm, type FileForm } from './read-rows.ts';

/** A file that was chosen, and an earlier import of it that did not end. */
export interface ChosenFile {
  readonly file: File;
  readonly form: FileForm;
  readonly columns: readonly FileColumn[];
  readonly interrupted: InterruptedImport | null;
}

/** The decisions about an import: the fields of its columns, and the key of its batches. */
export interface ImportPlan {
  readonly key: string;
  readonly mapping: ColumnMapping;
}

export interface ImportFormProps {
  readonly collection: ApiCollection;
  readonly parents: ParentIds;
  readonly onBegin: (chosen: ChosenFile, plan: ImportPlan) => void;
}

/** Takes a file, and the fields of its columns. */
export function ImportForm({ collection, parents, onBegin }: ImportFormProps) {
  const [chosen, setChosen] = useState<ChosenFile | null>(null);
  const [error, setError] = useState<string | null>(null);
  const choose = async (file: File): Promise<void> => {
    try {
      const form = await detectForm(file);
      const columns = await readColumns(file, form, collection.name);
      const interrupted = findInterrupted(nameImport([collection.path, ...parents].join('/'), file));
      setChosen({ file, form, columns, interrupted });
      setError(columns.length === 0 ? texts.transfer.noRows : null);
    } catch (failure) {
      setChosen(null);
      setError(failure instanceof Error ? failure.message : String(failure));
    }
  };
  return (
    <>
      <Field label={texts.transfer.file} error={error}>
        <Input
          type="file"
          accept=".csv,.tsv,.ndjson,.jsonl,.json"
          onChange={({ currentTarget }) => {
            const file = currentTarget.files?.[0];
            if (file !== undefined) void choose(file);
          }}
        />
      </Field>
      {chosen !== null && chosen.columns.length > 0 && (
        <MappingForm
          key={`${chosen.file.name} ${chosen.file.lastModified} ${chosen.file.size}`}
          collection={collection}
          chosen={chosen}
          onBegin={(plan) => onBegin(chosen, plan)}
        />
      )}
    </>
  );
}

interface MappingFormProps {
  readonly collection: ApiCollection;
  readonly chosen: ChosenFile;
  readonly onBegin: (plan: ImportPlan) => void;
}

function MappingForm({ collection, chosen: { columns, interrupted }, onBegin }: MappingFormProps) {
  const targets = listTargets(collection);
  const [proposed, setMapping] = useState(() => proposeMapping(columns, targets));
  const [isContinued, setContinued] = useState(interrupted !== null);
  const continued = isContinued ? interrupted : null;
  const mapping = continued?.mapping ?? proposed;
  const problem = findProblem(mapping, targets);
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        onBegin({ mapping, key: continued?.key ?? webPlatform.uniqueKey() });
      }}
    >
      {interrupted !== null && (
        <label className="choice">
          <input
            type="checkbox"
            checked={isContinued}
            onChange={({ currentTarget }) => setContinued(currentTarget.checked)}
          />
          {texts.transfer.continueEarlier}
        </label>
      )}
      <div className="import-columns" role="group" tabIndex={0} aria-label={texts.transfer.columns}>
        {columns.map(({ name, example }) => (
          <Field key={name} label={name} hint={example === '' ? null : texts.transfer.example(example.slice(0, 60))}>
            <Select
              value={mapping[name] ?? ''}
              disabled={continued !== null}
              onValue={(path) => setMapping(changeMapping(proposed, name, path))}
              options={[
                { value: '', label: texts.transfer.notImported },
                ...targets.map(({ path }) => ({ value: path, label: path })),
              ]}
            />
          </Field>
        ))}
      </div>
      {problem !== null && <p className="error-text">{problem}</p>}
      <Button className="fit" type="submit" look="primary" disabled={new Set(Object.values(mapping)).size === 0}>
        {texts.transfer.import}
      </Button>
    </form>
  );
}

/** The mapping with another field for a column. A field that another column had is taken from it. */
function changeMapping(mapping: ColumnMapping, name: string, path: string): ColumnMapping {
  const others = Object.entries(mapping).filter(([column, field]) => column !== name && field !== path);
  return Object.fromEntries(path === '' ? others : [...others, [name, path]]);
}

/** The required fields that no column fills; null if there are none. */
function findProblem(mapping: ColumnMapping, targets: readonly ApiField[]): string | null {
  const filled = Object.values(mapping);
  const missing = targets.filter(
    ({ path, required }) =>
      required && !path.includes('.') && !filled.some((each) => each === path || each.startsWith(`${path}.`)),
  );
  return missing.length === 0 ? null : texts.transfer.missing(missing.map(({ path }) => path).join(', '));
}
