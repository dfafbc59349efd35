import type { Icon } from '@tabler/icons-react'
import type { Tone } from './Notice.tsx'

/** A state in words with a sign of its own; the colour only repeats what they say. */
export function StatusBadge({ tone, icon: Sign, label }: { tone: Tone; icon: Icon; label: string }) {
  return (
    <span className={`mark tone-${tone}`}>
      <Sign size={14} aria-hidden />
      {label}
    </span>
  )
}
