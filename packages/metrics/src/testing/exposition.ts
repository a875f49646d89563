/** One metric family, read from the text of a scrape. */
export interface Family {
  readonly type: string;
  readonly help: string;
  readonly samples: readonly Sample[];
}

/** One line of a scrape. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Reads text format 0.0.4, as far as this package writes it. Throws on a line that is none. */
export function parseExposition(text: string): ReadonlyMap<string, Family> {
  const families = new Map<string, { type: string; help: string; samples: Sample[] }>();
  let current: { type: string; help: string; samples: Sample[] } | undefined;
  for (const line of text.split('\n').filter((one) => one !== '')) {
    const [, keyword, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? [];
    if (keyword === 'HELP') {
      current = { type: '', help: rest, samples: [] };
      families.set(name, current);
    } else if (current === undefined) throw new SyntaxError(`A sample before any metric: ${line}`);
    else if (keyword === 'TYPE') current.type = rest;
    else current.samples.push(parseSample(line));
  }
  return families;
}

/** The one sample with that name and those labels; NaN when there is none. */
export function valueOf(text: string, name: string, labels: Readonly<Record<string, string>> = {}): number {
  const all = [...parseExposition(text).values()].flatMap(({ samples }) => samples);
  const found = all.filter(
    (one) => one.name === name && Object.entries(labels).every(([key, value]) => one.labels[key] === value),
  );
  return found.length === 0 ? Number.NaN : found.reduce((sum, { value }) => sum + value, 0);
}

function parseSample(line: string): Sample {
  const [, name = '', labels = '', value = ''] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
  if (name === '') throw new SyntaxError(`Not a sample: ${line}`);
  const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key, text]) => [key, text] as const);
  return {
    name,
    labels: Object.fromEntries(pairs) as Record<string, string>,
    value: Number(value.replace('Inf', 'Infinity')),
  };
}
