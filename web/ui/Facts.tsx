import type { ReactNode } from 'react'

/** Names and values beside each other; below each other on a phone. */
export function Facts({ entries }: { entries: [name: string, value: ReactNode][] }) {
  return (
    <dl className="facts">
      {entries.map(([name, value]) => (
        <div key={name} style={{ display: 'contents' }}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
