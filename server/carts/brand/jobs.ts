import { z } from 'zod'
import { job } from '../../core/jobs/jobs.ts'

/** Looks for a logo in a store that was just connected; `isAgain`: it could not be asked before. Key: the store. */
export const proposeLogoJob = job(
  'brand.propose',
  z.object({ storeId: z.uuid(), isAgain: z.boolean().optional() }),
  'one',
)
