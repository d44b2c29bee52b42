import { appliedHeaders, commonHeaders, uncachedAnswer } from './answer.ts';
import type { Answer } from './exchange.ts';
import { findRow } from './read.ts';
import { removalPlans } from './removal.ts';
import { writeRefusal } from './settle.ts';
import type { Surroundings } from './surroundings.ts';
import { checkPreconditions, commit, type ItemTarget, MAX_ATTEMPTS, originOf } from './write.ts';

/** DELETE (MET-4): steps 14 to 19. Where the row or one that depends on it changed meanwhile, the removal is worked out again. */
export async function removeItem(target: ItemTarget, surroundings: Surroundings): Promise<Answer> {
  const { request, compiled, within, id } = target;
  const { resource } = compiled;
  return surroundings.turns.take(`${resource.name}\n${id}`, async () => {
    for (let attempt = 1; ; attempt++) {
      const row = await findRow(resource, within, id, surroundings);
      checkPreconditions(target, row);
      const plans = await removalPlans(resource, row, within, originOf(request, surroundings), surroundings);
      const outcome = await commit(plans, request, surroundings);
      if (outcome.kind === 'committed') {
        const headers = [...commonHeaders(request.exchange, surroundings.version), ...appliedHeaders(request)];
        return uncachedAnswer(204, headers, null);
      }
      const lost = outcome.kind === 'stale' || outcome.kind === 'dependents';
      if (!lost || attempt === MAX_ATTEMPTS) throw writeRefusal(outcome, resource, surroundings);
    }
  });
}
