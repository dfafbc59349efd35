import { z } from 'zod'
import { job } from '../../core/jobs/jobs.ts'

/** To one member: the report of the seven days before this Monday. */
export const weeklyReport = job(
  'analytics-reports.mail-week',
  z.object({ storeId: z.uuid(), userId: z.uuid(), monday: z.iso.date() }),
)
