import unsteady from './unsteady.json' with { type: 'json' }

/** A test that fails sometimes, and why: it runs in proofs only until its cause is mended. */
export interface FlakyTest {
  file: string
  test: string
  /** Day it was listed, `2026-11-28`. */
  since: string
  cause: string
}

export const flakyTests: readonly FlakyTest[] = unsteady
