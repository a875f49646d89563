import type { ObjectState } from './object-state.ts';

/** Shows the states of all objects: a table that is redrawn on a terminal, a line for each change elsewhere. */
export interface LiveTable {
  /** Shows what changed since the last call. */
  show(states: readonly ObjectState[]): void;
  /** Prints a sentence above the table. */
  say(sentence: string): void;
}

/** Where a table is drawn; `process.stdout` is one. */
export interface TableScreen {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

const headings = ['OBJECT', 'READY', 'UPTODATE', 'REASON', 'RETRIES', 'NEXT-RETRY', 'LATESTIMAGE'];

/** A table on `screen`; `elapsedMs` gives the time that stands before each line. */
export function createLiveTable(screen: TableScreen, elapsedMs: () => number): LiveTable {
  const shown = new Map<string, string>();
  let drawnLines = 0;
  const erase = () => {
    if (drawnLines > 0) screen.write(`\u001b[${drawnLines}A\u001b[0J`);
    drawnLines = 0;
  };
  const stamp = () => `${(elapsedMs() / 1000).toFixed(1).padStart(6)}s  `;
  let latest: readonly ObjectState[] = [];
  const draw = () => {
    erase();
    const lines = tableLines(latest, screen.columns ?? 120);
    screen.write(`${lines.join('\n')}\n`);
    drawnLines = lines.length;
  };
  return {
    show(states) {
      latest = states;
      if (screen.isTTY === true) {
        draw();
        return;
      }
      for (const state of states) {
        const line = changeLine(state);
        if (shown.get(state.title) !== line) screen.write(`${stamp()}${line}\n`);
        shown.set(state.title, line);
      }
    },
    say(sentence) {
      erase();
      screen.write(`${stamp()}${sentence}\n`);
      if (screen.isTTY === true && latest.length > 0) draw();
    },
  };
}

function changeLine(state: ObjectState): string {
  const title = state.title.padEnd(38);
  if (state.ready === '') return `${title}not looked at yet`;
  const ready = `Ready=${state.ready}`.padEnd(14);
  const upToDate = `UpToDate=${state.upToDate}`.padEnd(17);
  const why = state.upToDate === 'True' ? '' : ` ${state.reason}: ${state.message}`;
  return `${title}${ready}${upToDate}${why}`.trimEnd();
}

function tableLines(states: readonly ObjectState[], columns: number): string[] {
  const rows = [headings, ...states.map(cellsOf)];
  const widths = headings.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  const lines = rows.map((row) => row.map((cell, column) => cell.padEnd((widths[column] ?? 0) + 2)).join(''));
  const failing = states.filter((state) => state.upToDate !== 'True' && state.message !== '');
  const reasons = failing.map((state) => `  ${state.title}: ${state.message}`);
  return [...lines, ...reasons].map((line) => line.trimEnd().slice(0, columns - 1));
}

function cellsOf(state: ObjectState): string[] {
  const attempts = state.attempts === 0 ? '' : String(state.attempts);
  const nextAttempt = state.nextAttemptTime.slice(11, 19);
  const digest = state.latestImage.split('@')[1]?.slice(0, 19) ?? '';
  return [state.title, state.ready, state.upToDate, state.reason, attempts, nextAttempt, digest];
}
