/**
 * The answers of statements that were sent together, once all of them are there.
 *
 * @throws the first error, in their order
 */
export async function allAnswers<T>(sent: readonly Promise<T>[]): Promise<readonly T[]> {
  const settled = await Promise.allSettled(sent);
  return settled.map((each) => {
    if (each.status === 'rejected') throw each.reason;
    return each.value;
  });
}
