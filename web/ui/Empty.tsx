import { Stack, Text } from '@mantine/core'
import type { Icon } from '@tabler/icons-react'
import type { ReactNode } from 'react'

export function Empty({ icon: Sign, text, children }: { icon: Icon; text: string; children?: ReactNode }) {
  return (
    <Stack align="center" gap="sm" py={48} px="md" ta="center">
      <Sign size={36} stroke={1.4} color="var(--mantine-color-dimmed)" aria-hidden />
      <Text maw={460}>{text}</Text>
      {children}
    </Stack>
  )
}
