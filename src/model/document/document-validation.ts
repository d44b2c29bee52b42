import { documentSchema } from './document-schema.ts';
import { compileSchema, type Validate } from '../values/validator.ts';

/**
 * The schema of documents, compiled. It takes a tenth of a start, and every start would come to the same: the build puts the code that
 * comes of it in the place of this module (`scripts/document-validation.ts`).
 */
export function documentValidation(): Validate {
  return compileSchema(documentSchema);
}
