import type { ReactNode } from 'react'
import { Notice } from './Notice.tsx'

/** Why the last save failed, in the same form everywhere. */
export const NotSaved = ({ children }: { children: ReactNode }) => (
  <Notice tone="bad" title="Not saved" isLive>
    {children}
  </Notice>
)
