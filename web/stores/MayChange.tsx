import type { ReactNode } from 'react'
import { useMay } from '../access/queries.ts'
import { Notice } from '../ui/Notice.tsx'

interface Props {
  /** Why nobody can change it here: the demo. */
  fixed: string | false
  what?: 'this' | 'these'
  /** The form, for those who may use it. */
  children: ReactNode
}

/** A form of the account's channels, or why it is not there. */
export function MayChange({ fixed, what = 'this', children }: Props) {
  const isAllowed = useMay('flows:switch')
  if (fixed) return <Notice tone="info">{fixed}</Notice>
  if (!isAllowed) return <Notice tone="info">Only the owner or an admin of the account can change {what}.</Notice>
  return children
}
