import { type Problems, type StepName, stepOfField, steps } from './rules.ts'

// What is missing of a campaign where its dialog stands. Pure.

export interface Missing {
  step: StepName
  text: string
}

/** What is wrong in the steps before this one; what is wrong in itself is said by its fields. */
export function missingBefore(found: Problems, step: StepName): Missing[] {
  const before = steps.slice(0, steps.indexOf(step))
  const all = Object.entries(found) as [keyof Problems, string][]
  return before.flatMap((each) => {
    const texts = all.filter(([field]) => stepOfField[field] === each).map(([, text]) => text)
    return [...new Set(texts)].map((text) => ({ step: each, text }))
  })
}
