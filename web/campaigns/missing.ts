import { type Problems, type StepName, stepOfField, steps } from './rules.ts'

// Finds what a campaign in the dialog still misses. Pure.

export interface MissingPart {
  step: StepName
  text: string
}

/** Errors of earlier steps; this step's own fields show their errors themselves. */
export function findMissingBefore(found: Problems, step: StepName): MissingPart[] {
  const before = steps.slice(0, steps.indexOf(step))
  const all = Object.entries(found) as [keyof Problems, string][]
  return before.flatMap((each) => {
    const texts = all.filter(([field]) => stepOfField[field] === each).map(([, text]) => text)
    return [...new Set(texts)].map((text) => ({ step: each, text }))
  })
}
