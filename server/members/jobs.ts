import { z } from 'zod'
import { job } from '../core/jobs.ts'

export const mailVerification = job('accounts.mail-verification', z.object({ userId: z.uuid() }))
