import { z } from 'zod'
import { job } from '../../core/jobs/jobs.ts'

// Messages: the jobs this folder queues. They carry ids, never data.

/** Send what is due for one store. One job per store keeps stores from waiting for each other (D8). */
export const sendDueMessages = job('messages.send', z.object({ storeId: z.uuid() }), 'one')
