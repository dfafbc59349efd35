import type { ReactNode } from 'react'

/** Names and values side by side; stacked on a phone. */
export function Facts({ entries }: { entries: [name: string, value: ReactNode][] }) {
  return (
    <dl className="facts">
      {entries.map(([name, value]) => (
        <div key={name} style={{ display: 'contents' }}>
          <dt>{name}</dt>
          <dd>{breakable(value)}</dd>
        </div>
      ))}
    </dl>
  )
}

/** Long addresses wrap after the @. */
function breakable(value: ReactNode): ReactNode {
  const [, local, domain] = (typeof value === 'string' && /^([^@\s]+@)([^@\s]+)$/.exec(value)) || []
  if (!domain) return value
  return (
    <>
      {local}
      <wbr />
      {domain}
    </>
  )
}
