import type { Field, ValueType } from '../../model/model.ts';

/** The type of a value in words: `text`, `list of date`. */
export function typeWords(type: ValueType): string {
  switch (type.kind) {
    case 'text':
      return type.format ?? 'text';
    case 'array':
      return `list of ${typeWords(type.item.type)}`;
    case 'map':
      return `map of ${typeWords(type.value.type)}`;
    case 'binary':
      return type.mediaType === null ? 'binary' : `binary, ${type.mediaType}`;
    case 'integer':
    case 'number':
    case 'boolean':
    case 'date-time':
    case 'decimal':
    case 'int64':
    case 'object':
      return type.kind;
    case 'json':
      return 'any JSON';
  }
}

/**
 * Lists the properties of a field besides its type: `required`, `refers to suppliers`.
 *
 * @param target the collection that it refers to
 */
export function fieldNotes(field: Field, target: string | null): readonly string[] {
  const notes: readonly (readonly [holds: boolean, note: string])[] = [
    [field.required, 'required'],
    [field.readOnly, 'read-only'],
    [field.writeOnly, 'write-only'],
    [field.immutable, 'immutable'],
    [field.fill !== null, 'taken from the caller'],
    [target !== null, `refers to ${target}`],
  ];
  return notes.filter(([holds]) => holds).map(([, note]) => note);
}
