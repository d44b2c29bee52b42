import { _ } from 'ajv';
import standalone from 'ajv/dist/standalone/index.js';
import { documentSchema } from '../src/model/document/document-schema.ts';
import { createValidator } from '../src/model/values/validator.ts';

/**
 * The code that replaces `src/model/document/document-validation.ts` in a build. Its imports are relative to that file.
 */
export function documentValidationCode(): string {
  const validator = createValidator({ source: true, esm: true, formats: _`tests` });
  const code = standalone.default(validator, validator.compile(documentSchema));
  return `import { formats } from '../values/formats.ts';
const tests = Object.fromEntries(Object.entries(formats).map(([name, { test }]) => [name, test]));
${code}
export const documentValidation = () => validate;
`;
}
