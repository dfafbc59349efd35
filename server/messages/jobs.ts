import { z } from 'zod'
import { job } from '../jobs.ts'

// Messages: the jobs this folder queues. They carry ids, never data.

/** Send what is due for one store: at most one running and one waiting, so fairness and one order pull at a time come free (D8, D3). */
export const sendDueMessages = job('messages.send', z.object({ storeId: z.uuid() }), 'one')
