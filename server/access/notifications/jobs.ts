import { z } from 'zod'
import { job } from '../../core/jobs/jobs.ts'

/** Mails one member the notifications between two instants. */
export const mailNotifications = job(
  'notifications.mail',
  z.object({
    accountId: z.uuid(),
    userId: z.uuid(),
    kind: z.enum(['at_once', 'daily']),
    from: z.coerce.date(),
    upTo: z.coerce.date(),
  }),
)
