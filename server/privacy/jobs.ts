import { z } from 'zod'
import { job } from '../core/jobs.ts'

export const eraseJob = job('privacy.erase', z.object({ accountId: z.uuid(), erasureId: z.uuid() }), 'one')
