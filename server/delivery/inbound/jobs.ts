import { z } from 'zod'
import { job } from '../../core/jobs/jobs.ts'

/** An answer to a keyword, where the provider takes none with its own request. */
export const replyJob = job(
  'channels.reply',
  z.object({ accountId: z.uuid(), channel: z.enum(['sms', 'whatsapp']), eventKey: z.string() }),
)
