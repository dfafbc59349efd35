import { z } from 'zod'
import { job } from '../../core/jobs/jobs.ts'

/** Takes a confirmed file into the ledger, and goes on where it was interrupted. Key: the import. */
export const consentImportJob = job('ledger.import', z.object({ storeId: z.uuid(), importId: z.uuid() }), 'one')
