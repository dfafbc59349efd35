import { z } from 'zod'

/** The result of one check as text: what was found and what to do next. The state alone is never shown. */
export const Check = z.object({
  id: z.string(),
  title: z.string(),
  /** good: OK · warn: works in part · bad: does not work · quiet: unknown · skipped: not needed here. */
  state: z.enum(['good', 'warn', 'bad', 'quiet', 'skipped']),
  finding: z.string(),
  nextStep: z.string().nullable(),
  /** The response or value of the other side, verbatim. */
  answer: z.string().nullable(),
  /** The DNS record to add, or the new value of the existing one. */
  record: z.object({ name: z.string(), type: z.string(), value: z.string() }).nullable(),
})
export type Check = z.infer<typeof Check>
