import { Stack, Text } from '@mantine/core'
import type { Icon } from '@tabler/icons-react'
import type { ReactNode } from 'react'

interface Props {
  icon: Icon
  /** Short title if the text has several sentences. */
  title?: string
  /** Why it is empty and how to change that. */
  text: string
  /** Next action. */
  children?: ReactNode
}

/** Empty state without an error. */
export function Empty({ icon: Sign, title, text, children }: Props) {
  return (
    <Stack align="center" gap="sm" py={40} px="md" ta="center">
      <span className="empty-sign">
        <Sign size={26} stroke={1.6} aria-hidden />
      </span>
      {title && <Text fw={600}>{title}</Text>}
      <Text maw={440} c="dimmed">
        {text}
      </Text>
      {children}
    </Stack>
  )
}
