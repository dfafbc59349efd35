import { authTexts } from '../../shared/auth.ts'
import { useConfirmEmail } from './account-queries.ts'
import { ConfirmAddress } from './ConfirmAddress.tsx'

/** Target of the link mailed to a new address. */
export function ConfirmEmailPage() {
  const confirm = useConfirmEmail()
  return (
    <ConfirmAddress
      title="Confirm your email"
      doneTitle="Email address changed"
      explanation="From now on, you sign in with this address, and our emails are sent to it."
      button="Use this address"
      invalidLink={authTexts.invalidEmailLink}
      confirm={confirm}
    />
  )
}
