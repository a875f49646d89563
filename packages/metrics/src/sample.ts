import type { Declarations } from './metrics.ts';
import type { ControllerSample, ResourceSample } from './observer.ts';
import { backoffClasses, resourceStates } from './series.ts';

/**
 * Writes what is true of a controller now into its gauges. Resources are counted anew each time, so that a deleted
 * object leaves no trace. When `read` throws the gauges keep their last values: one that threw here would fail the
 * scrape, and hide every other metric.
 */
export function applySample(metrics: Declarations, controller: string, read: () => ControllerSample): void {
  try {
    const { queueDepth, workAgesMs, resources } = read();
    const queue = { name: controller, controller };
    const counts = countResources(resources);
    metrics.queueDepth.set({ ...queue, priority: '' }, queueDepth);
    metrics.queueUnfinishedWork.set(queue, workAgesMs.reduce((sum, one) => sum + one, 0) / 1000);
    metrics.queueLongestRunning.set(queue, Math.max(0, ...workAgesMs) / 1000);
    for (const { ready, reason, count } of counts.byState) metrics.resources.set({ controller, ready, reason }, count);
    for (const [name, count] of counts.byClass) metrics.resourcesInBackoff.set({ controller, class: name }, count);
  } catch {
    // Losing the reason is right: whoever reads the store has logged it, and the scrape must go on.
  }
}

function countResources(resources: Iterable<ResourceSample>) {
  const byState = new Map(resourceStates.map((state) => [`${state.ready}/${state.reason}`, { ...state, count: 0 }]));
  const byClass = new Map<string, number>(backoffClasses.map((name) => [name, 0]));
  for (const { ready, reason, backoffClass } of resources) {
    // A combination outside the list is an object whose status another program wrote.
    const state =
      byState.get(`${ready}/${reason}`) ?? byState.get(`${ready}/${ready === 'True' ? 'Succeeded' : 'Unknown'}`);
    if (state !== undefined) state.count += 1;
    if (backoffClass !== undefined) byClass.set(backoffClass, (byClass.get(backoffClass) ?? 0) + 1);
  }
  return { byState: [...byState.values()], byClass };
}
