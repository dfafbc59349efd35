import { Text } from '@mantine/core'
import type { Icon } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { StationSign } from './Thread.tsx'

interface Props {
  icon: Icon
  /** Short title if the text has several sentences. */
  title?: string
  /** Why it is empty and how to change that. */
  text: string
  /** Nothing was ever here: a drawing shows what will be, instead of a small sign. */
  isFirst?: boolean
  /** Next action. */
  children?: ReactNode
}

/** Empty state without an error. The sign stands on a thread: where it is filled, something has happened. */
export function Empty({ icon: Sign, title, text, isFirst = false, children }: Props) {
  return (
    <div className="empty" data-first={isFirst || undefined}>
      <div className="empty-thread" aria-hidden>
        <StationSign outcome={isFirst ? 'done' : 'ahead'} />
        <i />
        <span className="empty-sign">
          <Sign size={isFirst ? 28 : 22} stroke={1.6} />
          {isFirst && (
            <>
              <b />
              <b />
            </>
          )}
        </span>
        <i />
        <StationSign outcome="ahead" />
      </div>
      {title && <p className="empty-title">{title}</p>}
      <Text maw={440} {...(title && { c: 'dimmed' })}>
        {text}
      </Text>
      {children && <div className="empty-ways">{children}</div>}
    </div>
  )
}
