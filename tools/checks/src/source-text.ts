/** One file of the repository. */
export interface SourceText {
  /** From the root of the repository, with `/`. */
  readonly path: string;
  readonly text: string;
}

/** 1-based line of an offset in a text. */
export const lineAt = (text: string, offset: number): number => text.slice(0, offset).split('\n').length;
