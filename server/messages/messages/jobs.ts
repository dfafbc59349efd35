import { z } from 'zod'
import { job } from '../../core/jobs/jobs.ts'

// Job contracts of messages. Payloads carry ids only.

/** Sends a store's due messages. One job per store, so that stores do not wait for each other (D8). */
export const sendDueMessages = job('messages.send', z.object({ storeId: z.uuid() }), 'one')
