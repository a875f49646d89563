import { flags } from '@buildkeeper/controller-runtime';
import { defaultObjectPaces, failureReasons, type FailureClass, type FailureReason } from '@buildkeeper/retry-policy';
import { markdownTable } from './markdown-table.ts';
import { reasonTexts } from './reason-texts.ts';

const lead = `# Reasons

Generated from the closed list of \`packages/retry-policy\` and the texts of \`tools/checks/src/reason-texts.ts\`; \`npm run
generate\` writes it anew. The same word stands in the condition, in the Event, in \`status.retry.reason\` and in the metric
label \`reason\`. Each links to what it looks like and what to do.

A pace is the first delay, doubled with each further failure, and the longest one; the delay that is used is drawn between
half of it and all of it. Whatever the pace, a change of the spec or of a dependency and the annotation
\`buildkeeper.io/reconcile-requested-at\` bring the next look at once. No reason means that nobody looks any more.`;

const defaultOf = (name: (typeof flags)[number]['name']): string =>
  flags.find((flag) => flag.name === name)?.default ?? '';

const paceOfFlags = (name: 'retry' | 'auth-retry' | 'not-found-retry' | 'throttled-retry' | 'tls-retry'): string =>
  `${defaultOf(`${name}-base`)} to ${defaultOf(`${name}-max`)}`;

const paceOfClass = (name: FailureClass): string => {
  switch (name) {
    case 'transient':
      return paceOfFlags('retry');
    case 'throttled':
      return `Retry-After; without it ${paceOfFlags('throttled-retry')}`;
    case 'auth':
      return paceOfFlags('auth-retry');
    case 'notFound':
      return paceOfFlags('not-found-retry');
    case 'invalid':
      return `${defaultOf('invalid-recheck')} ± 50 %`;
    case 'conflict': {
      const { baseDelayMs, maxDelayMs } = defaultObjectPaces.conflict;
      return `${String(baseDelayMs)}ms to ${String(maxDelayMs / 1000)}s`;
    }
    case 'aborted':
      return '';
  }
};

/** When the next look comes, with the default flags. */
export const paceOf = (reason: FailureReason): string => {
  if (reason === 'Succeeded') return `${defaultOf('refresh-interval')} ± 10 %`;
  if (reason === 'DependencyNotReady') {
    return `the dependency's change, at the latest 5m ± 10 %; a missing ServiceAccount ${paceOfFlags('auth-retry')}`;
  }
  if (reason === 'TLSVerificationFailed') return paceOfFlags('tls-retry');
  const { classes } = reasonTexts[reason];
  const isOne = classes.length === 1;
  return classes.map((name) => (isOne ? paceOfClass(name) : `${name}: ${paceOfClass(name)}`)).join('; ');
};

const rowOf = (reason: FailureReason): readonly string[] => {
  const { classes, meaning, firstLook, cure } = reasonTexts[reason];
  const link = `[${reason}](../operations.md#${reason.toLowerCase()})`;
  return [link, meaning, classes.join(', '), paceOf(reason), firstLook, cure];
};

/** The page about the reasons of conditions, Events and metrics. */
export const reasonsPage = (): string => {
  const head = ['Reason', 'What it means', 'Class', 'Next look', 'First look at', 'Cure'];
  return `${lead}\n\n${markdownTable(head, failureReasons.map(rowOf))}\n`;
};
