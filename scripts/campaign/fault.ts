/** A violation of the contract by a response. */
export interface Fault {
  /** The clause and what it demands. */
  readonly rule: string;
  readonly what: string;
}

/** The faults whose condition does not hold. */
export function faultsWhere(
  conditions: readonly (readonly [holds: boolean, rule: string, what: string])[],
): readonly Fault[] {
  return conditions.flatMap(([holds, rule, what]) => (holds ? [] : [{ rule, what: what.slice(0, 400) }]));
}
