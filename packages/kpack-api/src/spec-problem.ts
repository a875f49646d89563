/** One thing in a spec that can't work, whatever the registries answer. */
export interface SpecProblem {
  /** Path of the field, such as `spec.order[0].group[1].id`. */
  readonly field: string;
  /** What is wrong with it and what to write instead. */
  readonly message: string;
}
