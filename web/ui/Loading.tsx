import { Card, Center, Group, Loader, Skeleton, Stack, Text } from '@mantine/core'

// Skeletons in the shape of what comes; each says to a screen reader that it is loading.

const lines = (count: number) => Array.from({ length: count }, (_, index) => index)

export function LoadingPage({ text = 'Loading...' }: { text?: string }) {
  return (
    <Center mih="60vh" role="status">
      <Group gap="sm">
        <Loader size="sm" />
        <Text c="dimmed">{text}</Text>
      </Group>
    </Center>
  )
}

export function LoadingRows({ count = 8 }: { count?: number }) {
  return (
    <Stack gap="sm" role="status" aria-label="Loading">
      {lines(count).map((line) => (
        <Group key={line} wrap="nowrap" gap="lg" py={6}>
          <Skeleton h={14} w="24%" />
          <Skeleton h={14} w="30%" />
          <Skeleton h={14} w="14%" />
          <Skeleton h={14} w="20%" />
        </Group>
      ))}
    </Stack>
  )
}

export function LoadingCards({ count = 2 }: { count?: number }) {
  return (
    <Stack gap="md" role="status" aria-label="Loading">
      {lines(count).map((line) => (
        <Card key={line}>
          <Skeleton h={18} w="32%" mb="md" />
          <Skeleton h={12} mb="xs" />
          <Skeleton h={12} mb="xs" w="86%" />
          <Skeleton h={12} w="64%" />
        </Card>
      ))}
    </Stack>
  )
}
