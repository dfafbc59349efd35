import { z } from 'zod'
import { job } from '../jobs.ts'

export const eraseJob = job('persons.erase', z.object({ accountId: z.uuid(), erasureId: z.uuid() }), 'one')
