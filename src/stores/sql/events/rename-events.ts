import type { Model } from '../../../model/model.ts';
import { BindParameters, type Dialect, type Statement } from '../dialect.ts';
import type { CurrentModels } from '../schema/current-models.ts';

/** Rows of `renamed (earlier, later)` are singular names. The shape of an event begins with its type and its resource. */
function renameText(rows: readonly string[]): string {
  const type = 'renamed.later || substr(shapes.type, length(renamed.earlier) + 1)';
  const rest = `substr(shapes.shape, length('["' || shapes.type || '","' || renamed.earlier) + 1)`;
  const shape = `'["' || ${type} || '","' || renamed.later || ${rest}`;
  return `with renamed (earlier, later) as (values ${rows.join(', ')})
update restwright_event_shapes as shapes set type = ${type}, resource = renamed.later, shape = ${shape}
from renamed where shapes.resource = renamed.earlier and shapes.shape like '["%'
and not exists (select 1 from restwright_event_shapes as other where other.shape = ${shape})`;
}

/**
 * The statements that give stored events the names of their resources in a model that becomes the only one: those of a resource that `was` another one, or has
 * another `singular`, are read, filtered and delivered like its later ones (EVT-2).
 *
 * @param current what is recorded of the models before
 */
export function renameEvents(current: CurrentModels, model: Model, dialect: Dialect): readonly Statement[] {
  const before = current.at(-1)?.resources ?? {};
  const renamed = [...model.resources.values()].flatMap(({ name, was, singular }) => {
    const earlier = (before[name] ?? before[was ?? ''])?.singular ?? singular;
    return earlier === singular ? [] : [[earlier, singular] as const];
  });
  if (renamed.length === 0) return [];
  const parameters = new BindParameters(dialect);
  const rows = renamed.map((names) => `(${names.map((each) => `cast(${parameters.add(each)} as text)`).join(', ')})`);
  return [{ text: renameText(rows), values: parameters.values }];
}
