import { z } from 'zod'
import { job } from '../../core/jobs/jobs.ts'

export const mailVerification = job('accounts.mail-verification', z.object({ userId: z.uuid() }))

/** To the address a user has now: something about their sign-in is asked for or was changed. */
export const mailNotice = job(
  'accounts.mail-notice',
  z.object({
    userId: z.uuid(),
    about: z.enum([
      'email-asked',
      'password-changed',
      'second-factor-on',
      'second-factor-off',
      'recovery-codes-renewed',
      'recovery-code-used',
    ]),
  }),
)
