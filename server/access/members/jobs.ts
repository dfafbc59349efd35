import { z } from 'zod'
import { job } from '../../core/jobs/jobs.ts'

export const mailVerification = job('accounts.mail-verification', z.object({ userId: z.uuid() }))

/** Mails the user's current address about a change or request that concerns their sign-in. */
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
