import { z } from 'zod'
import { job } from '../jobs.ts'

/** An unknown address queues this too, with an id that is nobody's: both answers take the same time. */
export const mailReset = job('accounts.mail-reset', z.object({ userId: z.uuid() }))
export const mailRegistration = job('accounts.mail-registration', z.object({ userId: z.uuid() }))
