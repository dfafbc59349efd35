import { IconLock } from '@tabler/icons-react'
import type { ReactNode } from 'react'

/** Once at the top of a page whose values cannot be changed here. */
export const ReadOnly = ({ children = 'Read-only in the demo.' }: { children?: ReactNode }) => (
  <p className="read-only">
    <IconLock size={15} aria-hidden />
    <span>{children}</span>
  </p>
)
