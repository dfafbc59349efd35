import { z } from 'zod'
import { job } from '../../core/jobs/jobs.ts'

const storePayload = z.object({ storeId: z.uuid() })

/** Sets the real end date of coupons that start now. Key: store id. */
export const beginCouponsJob = job('coupons.begin', storePayload, 'one')
/** Reads the usage of coupons created here, after an order named one. Key: store id. */
export const couponUsesJob = job('coupons.uses', storePayload, 'one')
