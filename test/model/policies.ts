import { compileModel } from '../../src/model/compile/compile-model.ts';
import type { ModelCode } from '../../src/model/compile/resources/compile-resources.ts';
import { checkDocument } from '../../src/model/document/check-document.ts';
import { type ModelProblem, ProblemList } from '../../src/model/document/model-error.ts';
import { readDocument } from '../../src/model/document/read-document.ts';
import type { Model } from '../../src/model/model.ts';
import { readObject } from '../../src/model/values/access.ts';
import { digest } from '../../src/platform/digest.ts';

const AUTH =
  'auth: { issuers: [{ name: a, issuer: https://a.example, audience: b, hs256_secret: 0123456789abcdef0123456789abcdef }] }';

/** A model document with authentication and these resources, which begin at line 4. */
export function withResources(resources: string): string {
  return `name: shop\n${AUTH}\nresources:\n${resources}`;
}

/** Compiles a document without asking whether a server could serve it yet. */
export function compilePolicies(
  text: string,
  code: ModelCode = new Map(),
): { readonly model: Model; readonly problems: readonly ModelProblem[] } {
  const { value, locate } = readDocument({ file: 'model.yaml', text, env: {} });
  const list = new ProblemList('model.yaml', locate);
  checkDocument(value, list.reportAtNewPaths());
  const model = compileModel({ declared: readObject(value), path: [], report: list.reportAtNewPaths() }, digest, code);
  return { model, problems: list.sorted() };
}
