import { compileSchema, type Validate } from '../values/validator.ts';
import { documentSchema } from './document-schema.ts';

/**
 * Compiles the JSON Schema of documents. This takes a tenth of the start-up time, so the build replaces this module
 * with the compiled code (`scripts/document-validation.ts`).
 */
export function documentValidation(): Validate {
  return compileSchema(documentSchema);
}
