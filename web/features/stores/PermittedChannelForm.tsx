import type { ReactNode } from 'react'
import { useHasPermission } from '../../core/access/queries.ts'
import { Facts } from '../../core/ui/Facts.tsx'
import { Notice } from '../../core/ui/Notice.tsx'

interface Props {
  /** Shown instead of the form where it cannot be changed: the demo. The page says so once. */
  fixed: [name: string, value: ReactNode][] | false
  what?: 'this' | 'these'
  /** The form, for members with permission. */
  children: ReactNode
}

/** Shows a form of the account's channels, its fixed values, or why it is not available. */
export function PermittedChannelForm({ fixed, what = 'this', children }: Props) {
  const isAllowed = useHasPermission('flows:switch')
  if (fixed) return <Facts entries={fixed} />
  if (!isAllowed) return <Notice tone="info">Only the owner or an admin of the account can change {what}.</Notice>
  return children
}
