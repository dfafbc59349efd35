import { z } from 'zod'
import { job } from '../../core/jobs/jobs.ts'

/** Stores a confirmed file in the ledger; resumes after an interruption. Key: the import. */
export const consentImportJob = job('ledger.import', z.object({ storeId: z.uuid(), importId: z.uuid() }), 'one')
