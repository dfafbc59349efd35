import { Card, Tooltip } from '@mantine/core'
import { IconInfoCircle } from '@tabler/icons-react'
import type { ReactNode } from 'react'

/** A figure's name with its definition on hover, on focus and for screen readers. */
export function Term({ label, definition }: { label: string; definition: string }) {
  return (
    <Tooltip label={definition} multiline w={280} events={{ hover: true, focus: true, touch: true }}>
      <button type="button" className="term" aria-label={`${label}: ${definition}`}>
        {label}
        <IconInfoCircle size={14} stroke={1.8} aria-hidden />
      </button>
    </Tooltip>
  )
}

interface BlockProps {
  title: string
  tools?: ReactNode
  className?: string
  children: ReactNode
}

export function Block({ title, tools, className, children }: BlockProps) {
  return (
    <Card component="section" className={`block ${className ?? ''}`} aria-label={title}>
      <div className="block-head">
        <h2 className="block-title">{title}</h2>
        {tools}
      </div>
      {children}
    </Card>
  )
}

export interface Fact {
  label: string
  definition: string
  value: ReactNode
  note?: string
}

export function FactList({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl className="facts-list">
      {facts.map(({ label, definition, value, note }) => (
        <div key={label}>
          <dt>
            <Term label={label} definition={definition} />
          </dt>
          <dd>
            {value}
            {note && <span className="fact-note">{note}</span>}
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** A share as a bar, capped at 100 percent (B 9). */
export const Bar = ({ width }: { width: number }) => (
  <span className="share-bar" aria-hidden>
    <span style={{ width: `${Math.min(100, Math.max(0, width))}%` }} />
  </span>
)
