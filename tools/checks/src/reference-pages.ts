import { flagsPage } from './reference-flags.ts';
import { metricsPage } from './reference-metrics.ts';
import { reasonsPage } from './reference-reasons.ts';

/** Folder of the pages that are generated from the code, from the root of the repository. */
export const referenceFolder = 'docs/reference';

/** Every page of that folder, by file name. */
export const referencePages = async (): Promise<ReadonlyMap<string, string>> =>
  new Map([
    ['flags.md', flagsPage()],
    ['metrics.md', await metricsPage()],
    ['reasons.md', reasonsPage()],
  ]);
