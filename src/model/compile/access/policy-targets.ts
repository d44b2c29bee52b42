import { type ReportProblem, suggestName } from '../../document/model-error.ts';
import type { Property, Resource } from '../../model.ts';
import type { PolicyComparison, PolicyReference } from '../../policy.ts';
import { isComparable } from '../../operators.ts';
import type { Path } from '../../path.ts';

/** Maximum number of references between a row and the field that a policy compares. */
const MAX_REFERENCES = 2;

/** The property that a policy compares. */
export interface PolicyTarget extends Pick<PolicyComparison, 'references' | 'resource'> {
  readonly property: Property;
}

/** Finds the properties that the policies of a resource name. */
export class PolicyTargets {
  readonly #resource: Resource;
  readonly #resources: ReadonlyMap<string, Resource>;
  readonly #report: ReportProblem;

  constructor(resource: Resource, resources: ReadonlyMap<string, Resource>, report: ReportProblem) {
    this.#resource = resource;
    this.#resources = resources;
    this.#report = report;
  }

  /**
   * The property at a dotted path, which may go through references to one row; null where there is none, which is
   * reported.
   */
  find(path: string, at: Path): PolicyTarget | null {
    const references: PolicyReference[] = [];
    let resource = this.#resource;
    let rest = path;
    for (;;) {
      const property = resource.properties.get(rest);
      if (property !== undefined) return this.#comparable({ references, resource: resource.name, property }, at);
      const reference = this.#reference(resource, rest, at);
      if (reference === null) return null;
      references.push({ field: reference.field, resource: reference.target.name });
      if (references.length > MAX_REFERENCES) {
        this.#report(at, `${path} goes through more than ${MAX_REFERENCES} relations`, 'compare a nearer field');
        return null;
      }
      resource = reference.target;
      rest = rest.slice(rest.indexOf('.') + 1);
    }
  }

  #comparable(target: PolicyTarget, at: Path): PolicyTarget | null {
    const { type, path } = target.property;
    if (isComparable(type)) return target;
    this.#report(at, `${path} holds values that cannot be compared`, 'compare another field');
    return null;
  }

  /** The reference whose relation a path begins with. */
  #reference(resource: Resource, path: string, at: Path): { readonly field: string; readonly target: Resource } | null {
    const dot = path.indexOf('.');
    const name = dot === -1 ? path : path.slice(0, dot);
    const field = resource.fields.find(({ reference }) => reference !== null && reference.as === name);
    const target = this.#resources.get(field?.reference?.resource ?? '');
    const leadsToMany = field?.type.kind === 'array' || resource.links.some((link) => link.name === name);
    if (leadsToMany) {
      const cause = `${name} of ${resource.name} leads to many rows; a policy goes through references to one row`;
      this.#report(at, cause, 'compare a field of the row, or of a row that it refers to');
      return null;
    }
    if (dot !== -1 && field !== undefined && target !== undefined) return { field: field.name, target };
    const isCaller = name === '$caller';
    const cause = isCaller ? `${path} is no field` : `${resource.name} has no readable field ${path}`;
    const fix = isCaller ? 'write it as the value of a field' : suggestName(path, resource.properties.keys());
    this.#report(at, cause, fix);
    return null;
  }
}
