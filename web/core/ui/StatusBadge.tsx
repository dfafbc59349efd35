import type { Icon } from '@tabler/icons-react'
import type { Tone } from './Notice.tsx'

/** A state as text with an icon; the color only repeats it. */
export function StatusBadge({ tone, icon: Sign, label }: { tone: Tone; icon: Icon; label: string }) {
  return (
    <span className={`mark tone-${tone}`}>
      <Sign size={14} aria-hidden />
      {label}
    </span>
  )
}
