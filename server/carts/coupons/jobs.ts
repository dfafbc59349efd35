import { z } from 'zod'
import { job } from '../../core/jobs/jobs.ts'

const ofStore = z.object({ storeId: z.uuid() })

/** Writes the true end into the store of coupons whose start has come. Key: the store. */
export const beginCouponsJob = job('coupons.begin', ofStore, 'one')
/** An order names a coupon made here: reads how often each was used. Key: the store. */
export const couponUsesJob = job('coupons.uses', ofStore, 'one')
