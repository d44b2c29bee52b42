import type { ListPlan, Page } from '../../../src/plan/plan.ts';
import type { Store } from '../../../src/stores/store.ts';

/** The same store, whose lists a test sees. */
export function watchLists(store: Store, onList: (plan: ListPlan, page: Page) => void): Store {
  const list = async (plan: ListPlan): Promise<Page> => {
    const page = await store.rows.list(plan);
    onList(plan, page);
    return page;
  };
  return replaced(store, 'rows', replaced(store.rows, 'list', list));
}

/** The same object with another member. */
export function replaced<T extends object, K extends keyof T>(object: T, name: K, member: T[K]): T {
  return new Proxy(object, {
    get(of, key) {
      if (key === name) return member;
      const value: unknown = Reflect.get(of, key, of);
      return typeof value === 'function' ? value.bind(of) : value;
    },
  });
}
