import { useMutation } from '@tanstack/react-query'
import { authTexts } from '../../../shared/access/auth.ts'
import { verifyEmail } from '../../../shared/workspace/account.ts'
import { call } from '../../core/api/api.ts'
import { useRefreshMe } from './account-queries.ts'
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

function useVerifyEmail() {
  const refresh = useRefreshMe()
  return useMutation({
    mutationFn: (token: string) => call(verifyEmail, { body: { token }, isAnonymous: true }),
    onSuccess: refresh,
  })
}
