import { useMutation } from '@tanstack/react-query'
import { authTexts } from '../../../shared/access/auth.ts'
import { confirmEmail } from '../../../shared/workspace/account.ts'
import { call } from '../../core/api/api.ts'
import { useRefreshMe } from './account-queries.ts'
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

/** Sent with the current session's token: that session stays, the user's others end. */
function useConfirmEmail() {
  const refresh = useRefreshMe()
  return useMutation({
    mutationFn: (token: string) => call(confirmEmail, { body: { token } }),
    onSuccess: refresh,
  })
}
