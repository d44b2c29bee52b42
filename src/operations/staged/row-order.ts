import type { Resource, SortKey } from '../../model/model.ts';
import { valueAt } from '../../plan/list/list-query.ts';
import type { Row } from '../../plan/plan.ts';
import { compileComparison } from '../../plan/value-order.ts';

/** Makes the comparison of rows in a list: unset values come first, or last in descending order (PAGE-5). */
export function rowOrder({ properties }: Resource, order: readonly SortKey[]): (one: Row, other: Row) => number {
  const keys = order.map(({ path, descending }) => {
    const compare = compileComparison(properties.get(path)?.type ?? { kind: 'text', format: null });
    return { path, sign: descending ? -1 : 1, compare };
  });
  return (one, other) => {
    for (const { path, sign, compare } of keys) {
      const [left, right] = [valueAt(one, path), valueAt(other, path)];
      const isUnset = left === null || right === null;
      const result = isUnset ? Number(right === null) - Number(left === null) : compare(left, right);
      if (result !== 0) return result * sign;
    }
    return 0;
  };
}
