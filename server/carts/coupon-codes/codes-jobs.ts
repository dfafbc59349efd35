import { z } from 'zod'
import { job } from '../../core/jobs/jobs.ts'

const ofStore = z.object({ storeId: z.uuid() })

/** Makes the personal codes that messages of the next minutes need. Key: the store. */
export const codesJob = job('coupons.codes', ofStore, 'one')
/** Takes out of the store the codes nobody needs any more. Key: the store. */
export const tidyCodesJob = job('coupons.tidy-codes', ofStore, 'one')
