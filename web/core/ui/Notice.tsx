import { IconAlertTriangle, IconCircleCheck, IconCircleX, IconInfoCircle } from '@tabler/icons-react'
import type { ReactNode } from 'react'

export type Tone = 'good' | 'info' | 'warn' | 'bad' | 'quiet'

const icons = {
  good: IconCircleCheck,
  info: IconInfoCircle,
  warn: IconAlertTriangle,
  bad: IconCircleX,
  quiet: IconInfoCircle,
}

interface Props {
  tone: Tone
  title?: ReactNode
  children?: ReactNode
  /** Announced when it appears: for outcomes, not for standing advice. */
  isLive?: boolean
}

export function Notice({ tone, title, children, isLive }: Props) {
  const Icon = icons[tone]
  const role = isLive ? (tone === 'bad' ? 'alert' : 'status') : undefined
  return (
    <div className={`notice tone-${tone}`} role={role}>
      <Icon size={18} aria-hidden />
      <div className="notice-text">
        {title && <strong style={{ display: 'block' }}>{title}</strong>}
        {children}
      </div>
    </div>
  )
}
