import { defineConfig } from '@hey-api/openapi-ts';
import { jsonOnly } from './json-only.ts';

export default defineConfig({
  input: 'openapi.json',
  output: 'hey-api',
  parser: { patch: (description) => void jsonOnly(description) },
});
