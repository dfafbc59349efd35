import { z } from 'zod'
import { job } from '../../core/jobs/jobs.ts'

const storePayload = z.object({ storeId: z.uuid() })

/** Creates personal codes for messages due in the next minutes. Key: store id. */
export const codesJob = job('coupons.codes', storePayload, 'one')
/** Deletes unused codes from the store. Key: store id. */
export const tidyCodesJob = job('coupons.tidy-codes', storePayload, 'one')
