import { Group, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'

interface Props {
  title: string
  text?: ReactNode
  /** Beside the title, e.g. a badge. */
  mark?: ReactNode
  children?: ReactNode
}

/** Heading of a page, its document title, and its actions on the right. */
export function PageTitle({ title, text, mark, children }: Props) {
  return (
    <Group justify="space-between" align="flex-start" mb="lg" gap="sm">
      <title>{`${title} · Recoup`}</title>
      <Stack gap={4} miw={0}>
        <Group gap="sm">
          <Title order={1}>{title}</Title>
          {mark}
        </Group>
        {text && <Text c="dimmed">{text}</Text>}
      </Stack>
      {children && <Group gap="sm">{children}</Group>}
    </Group>
  )
}
