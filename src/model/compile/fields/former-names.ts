import { isJsonObject, type JsonObject } from '../../../conventions/json/json.ts';
import { appendName } from '../../../conventions/text/field-path.ts';
import type { CompileContext } from '../../document/compile-context.ts';
import { readObject, readString } from '../../values/access.ts';

/** An object that may not have former names of other objects: a row, an object field, an item of a list. */
interface Scope {
  /** Its path before, without marks of lists and maps; '' for a row. */
  readonly was: string;
  /** The same by the present names. */
  readonly is: string;
}

/** An object with members, and its path before. */
interface Holder {
  readonly schema: CompileContext;
  readonly was: string;
  readonly is: string;
  /** Null for a row. */
  readonly scope: Scope | null;
}

/** Reports former names (`x-was`) of fields, and of members inside them, that another one has or had. */
export function checkFormerNames(schema: CompileContext): void {
  new FormerNameCheck().run({ schema, was: '', is: '', scope: null });
}

class FormerNameCheck {
  /** The paths that are taken. */
  readonly #used = new Set<string>();
  readonly #later: (() => void)[] = [];

  run(row: Holder): void {
    this.#visit(row);
    // Those without a former name are known by then.
    for (const check of this.#later) check();
  }

  #visit({ schema, was: holder, is, scope }: Holder): void {
    for (const [name, held] of Object.entries(readObject(schema.declared['properties']))) {
      const declared = readObject(held);
      const at = { ...schema, declared, path: [...schema.path, 'properties', name] };
      const path = { was: appendName(holder, name), is: appendName(is, name) };
      const was = readString(declared['x-was']);
      const former = was === null ? path.was : resolvePath(was, holder, scope);
      if (was === null) this.#used.add(path.was);
      else this.#check({ name, was, former }, at, scope);
      const inner = { was: former ?? path.was, is: path.is };
      this.#descend(at, inner, scope ?? inner);
    }
  }

  /** Visits the objects in a value. Each item of a list, and each value of a map, is a scope of its own. */
  #descend(at: CompileContext, path: Scope, scope: Scope): void {
    const { declared } = at;
    if (isJsonObject(declared['properties'])) this.#visit({ schema: at, ...path, scope });
    for (const keyword of ['items', 'additionalProperties']) {
      const held: JsonObject = readObject(declared[keyword]);
      this.#descendInto({ ...at, declared: held, path: [...at.path, keyword] }, path);
    }
  }

  #descendInto(at: CompileContext, path: Scope): void {
    if (Object.keys(at.declared).length > 0) this.#descend(at, path, path);
  }

  #check(
    { name, was, former }: { readonly name: string; readonly was: string; readonly former: string | null },
    { path, report }: CompileContext,
    scope: Scope | null,
  ): void {
    const at = [...path, 'x-was'];
    const kind = scope === null ? 'field' : 'member';
    if (former === null) {
      const fix =
        scope === null
          ? 'write the previous name of this field in the database; versions can move a member out of an object'
          : `write its previous name, or a path that begins with ${scope.is}.; versions can move other values`;
      report(at, `${was} is not in the same ${scope === null ? 'row' : `object, ${scope.is}`}`, fix);
      return;
    }
    if (scope !== null && was === name) {
      const fix = 'remove it; a field that became a member of an object is a move in versions';
      report(at, `${was} is the name of this member`, fix);
      return;
    }
    this.#later.push(() => {
      const fix = `write the previous name of this ${kind} in the database`;
      if (this.#used.has(former)) report(at, `the name ${was} is in use by another ${kind}`, fix);
      this.#used.add(former);
    });
  }
}

/** The former path that `x-was` names; null for one outside of the scope. */
function resolvePath(was: string, holder: string, scope: Scope | null): string | null {
  if (!was.includes('.')) return appendName(holder, was);
  if (scope === null) return null;
  const start = [scope.was, scope.is].find((each) => was.startsWith(`${each}.`));
  return start === undefined ? null : appendName(scope.was, was.slice(start.length + 1));
}
