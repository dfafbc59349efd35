import { z } from 'zod'
import { job } from '../../core/jobs/jobs.ts'

export const eraseJob = job('privacy.erase', z.object({ accountId: z.uuid(), erasureId: z.uuid() }), 'one')

/** A nightly retention run (C10); `day` in the store's calendar. Key: the store. */
export const retainJob = job('privacy.retain', z.object({ storeId: z.uuid(), day: z.iso.date() }), 'one')
