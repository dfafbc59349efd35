import { lazy, Suspense } from 'react'
import { useMe } from '../../core/access/queries.ts'
import { readInitials } from './initials.ts'

const AccountMenu = lazy(async () => ({ default: (await import('./menus.ts')).AccountMenu }))

/** The user's initials with the account's menu. */
export function AccountMark() {
  const user = useMe()
  if (!user) return null
  const initials = readInitials(user.name || user.email)
  return (
    <Suspense fallback={<span className="account-mark">{initials}</span>}>
      <AccountMenu initials={initials} user={user} />
    </Suspense>
  )
}
