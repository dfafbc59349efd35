import { authTexts } from '../../shared/auth.ts'
import { useVerifyEmail } from './account-queries.ts'
import { ConfirmAddress } from './ConfirmAddress.tsx'

/** Target of the link mailed after registration. */
export function VerifyEmailPage() {
  const confirm = useVerifyEmail()
  return (
    <ConfirmAddress
      title="Confirm your email address"
      doneTitle="Email address confirmed"
      explanation="Confirm that you registered with this address. Your account can then send email."
      button="Confirm this address"
      invalidLink={authTexts.invalidVerification}
      confirm={confirm}
    />
  )
}
