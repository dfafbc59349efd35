import { z } from 'zod'
import { job } from '../../core/jobs/jobs.ts'

/** Replies to a keyword if the provider accepts no reply in the response to its request. */
export const replyJob = job(
  'channels.reply',
  z.object({ accountId: z.uuid(), channel: z.enum(['sms', 'whatsapp']), eventKey: z.string() }),
)
