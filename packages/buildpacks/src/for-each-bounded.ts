/**
 * Does `work` for every item, at most `limit` at the same time. After a failure nothing new is begun, what is under
 * way is waited for, and the failure of the earliest item is thrown: in an outage the same one each time.
 */
export async function forEachBounded<T>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  const failures: { readonly index: number; readonly error: unknown }[] = [];
  const queue = items.entries();
  const lane = async (): Promise<void> => {
    for (const [index, item] of queue) {
      if (failures.length > 0) return;
      await work(item).catch((error: unknown) => failures.push({ index, error }));
    }
  };
  await Promise.all(Array.from({ length: limit }, lane));
  const [earliest] = failures.sort((a, b) => a.index - b.index);
  if (earliest !== undefined) throw earliest.error;
}
