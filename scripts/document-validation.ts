import { _ } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import standalone from 'ajv/dist/standalone/index.js';
import { documentSchema } from '../src/model/document-schema.ts';
import { addFormats, VALIDATOR_OPTIONS } from '../src/model/validator.ts';

/** The code that stands in a build for `src/model/document-validation.ts`, beside the modules that are there. */
export function documentValidationCode(): string {
  const validator = new Ajv2020({ ...VALIDATOR_OPTIONS, code: { source: true, esm: true, formats: _`tests` } });
  addFormats(validator);
  const code = standalone.default(validator, validator.compile(documentSchema));
  return `import { formats } from './formats.ts';
const tests = Object.fromEntries(Object.entries(formats).map(([name, { test }]) => [name, test]));
${code}
export const documentValidation = () => validate;
`;
}
