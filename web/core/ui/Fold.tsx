import { Button, Group } from '@mantine/core'
import { IconCircleCheck } from '@tabler/icons-react'
import { type ReactNode, useId, useState } from 'react'

interface Props {
  /** What is fine, in one line. */
  text: ReactNode
  /** What the button shows, such as "checks". */
  what: string
  children: ReactNode
}

/** Rows that need nothing, folded into one line. */
export function Fold({ text, what, children }: Props) {
  const [isOpen, setOpen] = useState(false)
  const id = useId()
  return (
    <div>
      <Group justify="space-between" gap="xs">
        <Group gap={8} wrap="nowrap" fz="sm">
          <IconCircleCheck size={18} color="var(--rc-good)" aria-hidden style={{ flex: 'none' }} />
          <span>{text}</span>
        </Group>
        <Button
          variant="subtle"
          size="compact-sm"
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? `Hide ${what}` : `Show ${what}`}
        </Button>
      </Group>
      <div id={id} hidden={!isOpen} style={{ marginTop: 12 }}>
        {isOpen && children}
      </div>
    </div>
  )
}
