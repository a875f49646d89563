import type { Registry } from 'prom-client';

/**
 * The text of every metric of a registry that can be collected. One by one, because a single rejected collect would
 * fail the whole text.
 */
export async function renderEach(registry: Registry): Promise<string> {
  const names = registry.getMetricsAsArray().map((metric) => metric.name);
  const texts = await Promise.allSettled(names.map((name) => registry.getSingleMetricAsString(name)));
  return `${texts.flatMap((text) => (text.status === 'fulfilled' ? [text.value] : [])).join('\n\n')}\n`;
}
