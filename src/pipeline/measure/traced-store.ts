import type { MaybePromise } from '../../platform/maybe-promise.ts';
import { channels, publish, type StoreContext } from '../../platform/trace-channels.ts';
import type { RowReader } from '../../stores/store.ts';
import type { RowSource } from '../../operations/visible-rows.ts';
import type { Commits, Committer } from '../../operations/write/commits.ts';
import type { StageRecorder } from '../../exchange/stage-recorder.ts';

type Operation = StoreContext['operation'];

/** Times the reads of rows. @param stages null if only subscribers of the channel time them */
export function tracedRows<S extends RowSource>(source: S, stages: StageRecorder | null): S {
  if (stages === null && !channels.store.hasSubscribers) return source;
  const { rows } = source;
  const traced = <R>(operation: Operation, resource: string | null, read: () => MaybePromise<R>): MaybePromise<R> =>
    run({ operation, resource }, stages, read);
  const reader: RowReader = {
    item: (plan) => traced('item', plan.resource, () => rows.item(plan)),
    wasVisible: (plan) => traced('item', plan.resource, () => rows.wasVisible(plan)),
    list: (plan) => traced('list', plan.resource, () => rows.list(plan)),
    lookup: (plan) => traced('lookup', plan.resource, () => rows.lookup(plan)),
    related: (plan) => traced('related', plan.resource, () => rows.related(plan)),
    missingAncestor: (within) => traced('missing-ancestor', null, () => rows.missingAncestor(within)),
    missingReferences: (references) => traced('missing-references', null, () => rows.missingReferences(references)),
  };
  return { ...source, rows: reader };
}

/** Times commits. @param stages null if only subscribers of the channel time them */
export function tracedCommits<S extends { readonly commits: Commits }>(services: S, stages: StageRecorder | null): S {
  if (stages === null && !channels.store.hasSubscribers) return services;
  const wrap = (writer: Committer): Committer => ({
    commit: async (unit, deadline) =>
      run({ operation: 'commit', resource: null }, stages, () => writer.commit(unit, deadline)),
  });
  return { ...services, commits: services.commits.through(wrap) };
}

function run<T>(context: StoreContext, stages: StageRecorder | null, operate: () => MaybePromise<T>): MaybePromise<T> {
  const timed = stages === null ? operate : (): MaybePromise<T> => stages.during('store', operate);
  return channels.store.hasSubscribers ? publish(channels.store, context, timed) : timed();
}
