import { z } from 'zod'
import { job } from '../../core/jobs/jobs.ts'

/** Looks for a logo in a newly connected store; `isAgain`: second attempt. Key: store id. */
export const proposeLogoJob = job(
  'brand.propose',
  z.object({ storeId: z.uuid(), isAgain: z.boolean().optional() }),
  'one',
)
