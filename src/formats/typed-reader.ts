import type { Json } from '../conventions/json.ts';
import { coerceText } from '../model/values/coercion.ts';
import type { ValueType } from '../model/model.ts';

/** What a body may be: an object of the declared members and of those that the server makes, such as `id`. */
export type ObjectType = Extract<ValueType, { kind: 'object' }>;

/**
 * A text of a format that knows no types, as a value of the type that the schema gives it. A text that is none stays what it is: the checks
 * of the resource tell what is wrong with it, in the same words as for JSON.
 */
export function typedText(type: ValueType, text: string): Json {
  switch (type.kind) {
    case 'integer':
    case 'number':
    case 'boolean': {
      const coerced = coerceText(type, text);
      return coerced.kind === 'valid' ? coerced.value : text;
    }
    case 'text':
    case 'binary':
    case 'date-time':
    case 'decimal':
    case 'int64':
    case 'object':
    case 'map':
    case 'array':
      return text;
  }
}
