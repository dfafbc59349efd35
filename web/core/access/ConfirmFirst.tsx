import { Link } from 'react-router'
import { Notice } from '../ui/Notice.tsx'
import { useMe } from './queries.ts'

/**
 * Shown before a form that the server refuses until the account's address is confirmed. `what` completes "Confirm your
 * email address to …". `isFree`: an account with its own mail server may send without it.
 */
export function ConfirmFirst({ what, isFree = false }: { what: string; isFree?: boolean }) {
  const me = useMe()
  if (!me || me.isEmailConfirmed || isFree) return null
  return (
    <Notice tone="warn">
      Confirm your email address to {what}. Open the link we sent to {me.email}, or{' '}
      <Link to="/settings/account">change the address</Link>.
    </Notice>
  )
}
