import { defineController } from '../controller-definition.ts';
import { ready } from '../outcome.ts';
import { run } from '../run.ts';
import { widgetResource, type Widget } from './widget.ts';

/** The entry point of a controller, for tests that need a process: a reconcile takes as long as the spec's image says. */
await run(
  defineController({
    name: 'widget',
    resource: widgetResource,
    watches: [],
    createDeps: () => undefined,
    reconcile: async ({ spec }: Widget) => {
      await new Promise((resolve) => setTimeout(resolve, Number(spec.image ?? 0)));
      return ready({ latestImage: spec.image });
    },
  }),
);
