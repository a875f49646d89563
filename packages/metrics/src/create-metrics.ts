import { collectDefaultMetrics, Registry } from 'prom-client';
import { createHostLabels } from './host-labels.ts';
import { declareMetrics } from './metrics.ts';
import { createObserver, type ControllerObserver, type ControllerSample } from './observer.ts';
import { renderEach } from './render.ts';
import { applySample } from './sample.ts';
import { initialiseSeries } from './series.ts';

/** How the metrics of a process are made. */
export interface MetricsOptions {
  /** Values of the label `controller`: lower-case kinds. */
  readonly controllers: readonly string[];
  readonly version: string;
  readonly revision?: string;
  /** Version of Node.js, for `buildkeeper_build_info`. */
  readonly node?: string;
  /** Registry hosts that always keep their own label value. */
  readonly registryHosts?: readonly string[];
  /** Metrics of the process itself (CPU, memory, event loop, collector); true unless given. */
  readonly hasProcessMetrics?: boolean;
}

/** Every metric of a process, and the text that `/metrics` answers. */
export interface Metrics {
  /** The observer of one of the controllers named at creation; throws for another name. */
  observerFor(controller: string): ControllerObserver;
  /** The text of a scrape, in format 0.0.4. Never throws: a metric that cannot be collected is left out. */
  render(): Promise<{ contentType: string; body: string }>;
}

/** Hosts that get a label value of their own; the bound of every metric with the label `host`. */
const hostLimit = 20;

/** Named against the rules for counters, while being gauges; the same facts stand in `nodejs_active_handles` and its like. */
const badlyNamed = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

/** Declares all metrics on a registry of their own; nothing is global, so two of these can live in one process. */
export function createMetrics(options: MetricsOptions): Metrics {
  const registry = new Registry();
  const metrics = declareMetrics(registry);
  const { version, revision = '', node = '' } = options;
  metrics.buildInfo.set({ version, revision, node }, 1);
  if (options.hasProcessMetrics !== false) {
    collectDefaultMetrics({ register: registry });
    for (const name of badlyNamed) registry.removeSingleMetric(name);
  }
  const samplers = new Map<string, () => ControllerSample>();
  const deps = {
    metrics,
    registryHostLabel: createHostLabels(hostLimit, options.registryHosts),
    kubeHostLabel: createHostLabels(hostLimit),
    sampleAtScrape: (controller: string, read: () => ControllerSample) => void samplers.set(controller, read),
  };
  const observers = new Map(options.controllers.map((name) => [name, createObserver(name, deps)]));
  for (const name of options.controllers) initialiseSeries(metrics, name);
  return {
    observerFor: (controller) => {
      const observer = observers.get(controller);
      if (observer === undefined) throw new RangeError(`No metrics were declared for controller ${controller}`);
      return observer;
    },
    render: async () => {
      for (const [controller, read] of samplers) applySample(metrics, controller, read);
      return { contentType: registry.contentType, body: await renderEach(registry) };
    },
  };
}
