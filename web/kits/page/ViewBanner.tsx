import { Button } from '@mantine/core'
import { IconEye } from '@tabler/icons-react'
import { logout } from '../../../shared/access/auth.ts'
import { useMe } from '../../core/access/queries.ts'
import { call } from '../../core/api/api.ts'
import { endView } from '../../core/session/session.ts'
import { formatDateTime } from '../../core/ui/times.ts'

/** Shown on every page while an operator views an account. Leaving never fails: the view expires automatically. */
export function ViewBanner() {
  const user = useMe()
  if (!user?.viewedUntil) return null
  const leave = () => void call(logout).finally(endView)
  return (
    <div className="banner tone-warn">
      <IconEye size={18} aria-hidden />
      <span className="grow">
        <strong>You are looking at {user.accountName} as an operator.</strong> You can view but not change anything.
        Ends {formatDateTime(user.viewedUntil)}.
      </span>
      <Button size="compact-sm" variant="default" onClick={leave}>
        Leave view
      </Button>
    </div>
  )
}
