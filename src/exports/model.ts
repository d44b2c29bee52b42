/** `restwright/model`: models in TypeScript and compiled ones, their hooks and the values of their fields. */
export type { Json, JsonObject } from '../conventions/json/json.ts';
export { type LoadedModel, loadModel, type ModelSource } from '../model/compile/load-model.ts';
export { readOnlyModel } from '../model/compile/read-only-model.ts';
export { ModelError, type ModelProblem } from '../model/document/model-error.ts';
export {
  type HookQuery,
  type HookReason,
  type HookRow,
  type HookRows,
  type HookServices,
  type HookWrites,
  refuse,
  type WriteContext,
  type WriteInfo,
} from '../model/hooks.ts';
export type { ContractVersion, Limits, Model, Resource } from '../model/model.ts';
export type { PolicyCaller } from '../model/policy.ts';
export {
  type ComputedDefinition,
  type DefinedModel,
  type DefinedResource,
  defineModel,
  type ModelBuilder,
  type ModelData,
  type ModelDefinition,
  resource,
  type ResourceCode,
  type ResourceDefinition,
  type ResourceShape,
  type SystemFields,
  withServices,
} from '../model/typescript/define-model.ts';
export { type AccessData, type PolicyTree, type ResourceData } from '../model/typescript/resource-data.ts';
export type {
  DeepReadonly,
  SchemaLike,
  SchemaObject,
  StandardSchema,
  ValuesOf,
} from '../model/typescript/schema-types.ts';
