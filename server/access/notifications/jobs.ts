import { z } from 'zod'
import { job } from '../../core/jobs/jobs.ts'

/** To one member: what came between two instants. */
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
