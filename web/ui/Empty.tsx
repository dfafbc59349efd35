import { Stack, Text } from '@mantine/core'
import type { Icon } from '@tabler/icons-react'
import type { ReactNode } from 'react'

interface Props {
  icon: Icon
  /** In a few words, where the text is more than one sentence. */
  title?: string
  /** Why there is nothing, and what brings something. */
  text: string
  /** The next step. */
  children?: ReactNode
}

/** Where nothing is, though all went well. */
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
