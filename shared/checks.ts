import { z } from 'zod'

/** One thing looked at, in words: what was found and what to do next. Never told by its state alone. */
export const Check = z.object({
  id: z.string(),
  title: z.string(),
  /** good: as it should be · warn: works, but not all of it · bad: does not work · quiet: not known · skipped: not needed here. */
  state: z.enum(['good', 'warn', 'bad', 'quiet', 'skipped']),
  finding: z.string(),
  nextStep: z.string().nullable(),
  /** What the other side said or holds, word for word. */
  answer: z.string().nullable(),
  /** The DNS record to add, or what to change the present one into. */
  record: z.object({ name: z.string(), type: z.string(), value: z.string() }).nullable(),
})
export type Check = z.infer<typeof Check>
