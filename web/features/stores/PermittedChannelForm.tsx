import type { ReactNode } from 'react'
import { useHasPermission } from '../../core/access/queries.ts'
import { Notice } from '../../core/ui/Notice.tsx'

interface Props {
  /** Why it cannot be changed here: the demo. */
  fixed: string | false
  what?: 'this' | 'these'
  /** The form, for members with permission. */
  children: ReactNode
}

/** Shows a form of the account's channels, or why it is not available. */
export function PermittedChannelForm({ fixed, what = 'this', children }: Props) {
  const isAllowed = useHasPermission('flows:switch')
  if (fixed) return <Notice tone="info">{fixed}</Notice>
  if (!isAllowed) return <Notice tone="info">Only the owner or an admin of the account can change {what}.</Notice>
  return children
}
