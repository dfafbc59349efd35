import { Group, Stack, Text, Title } from '@mantine/core'
import { createContext, type ReactNode, useContext } from 'react'
import { productName } from './brand.ts'

/** The frame's heading; a page with the same title does not repeat it. */
export const FrameHeading = createContext<string | null>(null)

interface Props {
  title: string
  text?: ReactNode
  /** Beside the title, e.g. a badge. */
  mark?: ReactNode
  children?: ReactNode
}

/** Heading of a page, its document title, and its actions on the right. */
export function PageTitle({ title, text, mark, children }: Props) {
  const isInFrame = useContext(FrameHeading) === title
  const isEmpty = isInFrame && !mark && !text && !children
  return (
    <Group justify="space-between" align={text ? 'flex-start' : 'center'} mb={isEmpty ? 0 : 'lg'} gap="sm">
      <title>{`${title} · ${productName}`}</title>
      <Stack gap={4} miw={0}>
        {(!isInFrame || mark) && (
          <Group gap="sm">
            {!isInFrame && <Title order={1}>{title}</Title>}
            {mark}
          </Group>
        )}
        {text && <Text c="dimmed">{text}</Text>}
      </Stack>
      {children && <Group gap="sm">{children}</Group>}
    </Group>
  )
}
