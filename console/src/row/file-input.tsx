import type { ApiField } from '../schema/api-schema.ts';
import { texts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { Input } from '../ui/field.tsx';
import { saveFile } from '../ui/save-file.ts';

export interface FileInputProps {
  readonly field: ApiField;
  /** The content in base64; null if there is none. */
  readonly text: string | null;
  readonly label: string;
  readonly onText: (text: string | null) => void;
}

/** Takes a file as base64, and gives back what is stored. */
export function FileInput({ field, text, label, onText }: FileInputProps) {
  return (
    <div className="stack">
      <Input
        type="file"
        accept={field.mediaType ?? undefined}
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? [];
          if (file !== undefined) void encode(file).then(onText);
        }}
      />
      {text !== null && (
        <div className="actions">
          <span className="hint">{texts.row.fileSize(decodedSize(text))}</span>
          <Button look="quiet" onClick={() => download(field, text)}>
            {texts.row.download(label)}
          </Button>
        </div>
      )}
    </div>
  );
}

async function encode(file: Blob): Promise<string> {
  return await new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () =>
      resolve(typeof reader.result === 'string' ? reader.result.replace(/^[^,]*,?/, '') : ''),
    );
    reader.addEventListener('error', () => reject(reader.error ?? new Error('The file cannot be read.')));
    reader.readAsDataURL(file);
  });
}

function decodedSize(text: string): number {
  return Math.floor((text.replace(/=+$/, '').length * 3) / 4);
}

function download({ name, mediaType }: ApiField, text: string): void {
  const bytes = Uint8Array.from(atob(text), (each) => each.charCodeAt(0));
  saveFile(name, new Blob([bytes], { type: mediaType ?? '' }));
}
