import { parseArgs } from 'node:util';

/** How the registry fails while the outage lasts. */
export const outageFaults = ['refuse', 'reset', 'hang', '500', '503', '429'] as const;

/** One of {@link outageFaults}. */
export type OutageFault = (typeof outageFaults)[number];

/** What `npm start` was asked to do. */
export interface StoryOptions {
  /** Play the outage story, each outage this long. */
  readonly outageMs: number | undefined;
  readonly outageFault: OutageFault;
  /** End when everything is Ready instead of showing the table until Ctrl-C. */
  readonly isOnce: boolean;
  readonly timeoutMs: number;
  /** Use this cluster instead of the embedded API server. */
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly hasInstallCrds: boolean;
  /** Passed to the controllers as `--retry-max`. */
  readonly retryMax: string | undefined;
  readonly isHelp: boolean;
}

/** What `npm start -- --help` prints. */
export const storyHelp = `npm start -- [options]: an embedded cluster, the four controllers, and a registry that can die

  --once                    end when everything is Ready; exit code 1 if it is not within --timeout
  --outage DURATION         play the outage story (20s is a good one) and print a summary
  --outage-fault FAULT      how the registry fails: ${outageFaults.join(', ')} (default refuse)
  --timeout DURATION        how long to wait for Ready (default 2m, plus what the outages last)
  --retry-max DURATION      passed to the controllers (default: 5s with --outage, else their own default)
  --kubeconfig FILE         use a real cluster instead of the embedded API server
  --context NAME            context of that kubeconfig
  --install-crds            install the kpack.io CustomResourceDefinitions there first
  --help
`;

/** Reads the command line. Throws an Error that lists every problem, one a line. */
export function parseStoryOptions(args: readonly string[]): StoryOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      once: { type: 'boolean', default: false },
      outage: { type: 'string' },
      'outage-fault': { type: 'string', default: 'refuse' },
      timeout: { type: 'string', default: '2m' },
      'retry-max': { type: 'string' },
      kubeconfig: { type: 'string' },
      context: { type: 'string' },
      'install-crds': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const problems: string[] = [];
  const durationOf = (name: string, text: string) => {
    const durationMs = parseDurationMs(text);
    if (durationMs === undefined) problems.push(`--${name}: ${text} is no duration; write 500ms, 20s, 5m or 1m30s`);
    return durationMs ?? 0;
  };
  const outageMs = values.outage === undefined ? undefined : durationOf('outage', values.outage);
  const timeoutMs = durationOf('timeout', values.timeout) + 2 * (outageMs ?? 0);
  if (values['retry-max'] !== undefined) durationOf('retry-max', values['retry-max']);
  const outageFault = outageFaults.find((fault) => fault === values['outage-fault']);
  if (outageFault === undefined) problems.push(`--outage-fault: must be one of ${outageFaults.join(', ')}`);
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return {
    outageMs,
    outageFault: outageFault ?? 'refuse',
    isOnce: values.once,
    timeoutMs,
    kubeconfig: values.kubeconfig,
    context: values.context,
    hasInstallCrds: values['install-crds'],
    retryMax: values['retry-max'] ?? (outageMs === undefined ? undefined : '5s'),
    isHelp: values.help,
  };
}

/** Milliseconds of a duration as Kubernetes writes it (`1m30s`, `500ms`), or undefined when it is none. */
export function parseDurationMs(text: string): number | undefined {
  const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
  if (!/^(\d+(\.\d+)?(ms|s|m|h))+$/.test(text)) return undefined;
  const parts = text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g);
  return [...parts].reduce((sum, [, amount, unit]) => sum + Number(amount) * (unitMs[unit ?? ''] ?? 0), 0);
}
