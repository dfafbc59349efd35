import { z } from 'zod'
import { job } from '../../core/jobs/jobs.ts'

const WakeReason = z.enum(['settings', 'test', 'connected', 'disconnected', 'check'])
export type WakeReason = z.infer<typeof WakeReason>

/** Tells a shop's plugin that there is news. Key: the store. */
export const wakeJob = job('plugin.wake', z.object({ storeId: z.uuid(), reason: WakeReason }), 'one')
/** Reads a shop for the first time after its plugin has connected. Key: the store. */
export const reachJob = job('plugin.reach', z.object({ storeId: z.uuid() }), 'one')
/** Another account has proven that it owns the shop. Key: the store. */
export const yieldJob = job('plugin.yield', z.object({ storeId: z.uuid() }), 'one')
