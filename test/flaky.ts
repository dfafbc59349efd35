import flaky from './unsteady.json' with { type: 'json' }

/** A flaky test and its cause. It runs only in proofs until the cause is fixed. */
export interface FlakyTest {
  file: string
  test: string
  /** Day it was listed, such as `2026-11-28`. */
  since: string
  cause: string
}

export const flakyTests: readonly FlakyTest[] = flaky
