import type { Reporter, TestModule } from 'vitest/node';

/** Prints `N passed, N failed` alone and last, counting files that could not be loaded and errors outside tests. */
export class ClosingLineReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const counts = { passed: 0, failed: unhandledErrors.length, skipped: 0 };
    for (const module of modules) {
      counts.failed += module.errors().length;
      for (const suite of module.children.allSuites()) counts.failed += suite.errors().length;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === 'passed') counts.passed += 1;
        else if (state === 'skipped') counts.skipped += 1;
        else counts.failed += 1;
      }
    }
    const skipped = counts.skipped > 0 ? `, ${String(counts.skipped)} skipped` : '';
    const line = `${String(counts.passed)} passed, ${String(counts.failed)} failed${skipped}`;
    process.once('exit', () => process.stdout.write(`${line}\n`));
  }
}
