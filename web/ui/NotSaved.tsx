import type { ReactNode } from 'react'
import { Notice } from './Notice.tsx'

/** Why the last saving did not happen, said as every form says it. */
export const NotSaved = ({ children }: { children: ReactNode }) => (
  <Notice tone="bad" title="Not saved" isLive>
    {children}
  </Notice>
)
