import { Card, Center, Group, Loader, Skeleton, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'

// Skeletons in the shape of the content, so nothing shifts when it loads. Each announces to screen readers that it is loading.

const lines = (count: number) => Array.from({ length: count }, (_, index) => index)

const LoadingStatus = ({ children }: { children: ReactNode }) => (
  <div role="status" aria-label="Loading" className="waiting">
    {children}
  </div>
)

/** For a whole screen of unknown content. */
export function LoadingPage({ text = 'Loading...' }: { text?: string }) {
  return (
    <Center component="main" mih="60vh">
      <Group gap="sm" role="status" aria-label="Loading">
        <Loader size="sm" />
        <Text component="h1" c="dimmed" fz="md" fw={400} m={0}>
          {text}
        </Text>
      </Group>
    </Center>
  )
}

/** Heading of a page whose title is not loaded yet; screen readers still find a heading. */
export function LoadingTitle() {
  return (
    <LoadingStatus>
      <h1 className="visually-hidden">Loading...</h1>
      <Skeleton h={26} w={220} maw="70%" mb={10} />
      <Skeleton h={14} w={320} maw="90%" mb="lg" />
    </LoadingStatus>
  )
}

/** Table rows below the heading; on a phone, cards. */
export function LoadingRows({ count = 10 }: { count?: number }) {
  return (
    <LoadingStatus>
      <div className="waiting-head" />
      {lines(count).map((line) => (
        <div key={line} className="waiting-row">
          <Skeleton h={12} w="62%" />
          <Skeleton h={12} w="80%" />
          <Skeleton h={12} w="50%" />
          <Skeleton h={20} w={96} radius="xl" />
        </div>
      ))}
    </LoadingStatus>
  )
}

/** Two-line entries with a badge at the end. */
export function LoadingList({ count = 4, withPicture = false }: { count?: number; withPicture?: boolean }) {
  return (
    <LoadingStatus>
      <Stack gap="md">
        {lines(count).map((line) => (
          <Group key={line} wrap="nowrap" gap="sm">
            {withPicture && <Skeleton h={44} w={44} style={{ flex: 'none' }} />}
            <div style={{ flex: 1 }}>
              <Skeleton h={12} w="46%" mb={8} />
              <Skeleton h={10} w="64%" />
            </div>
            <Skeleton h={12} w={72} style={{ flex: 'none' }} />
          </Group>
        ))}
      </Stack>
    </LoadingStatus>
  )
}

/** Cards with a heading and facts. */
export function LoadingCards({ count = 2, rows = 4 }: { count?: number; rows?: number }) {
  return (
    <LoadingStatus>
      <Stack gap="md">
        {lines(count).map((card) => (
          <Card key={card}>
            <Skeleton h={16} w={160} maw="60%" mb="lg" />
            <Stack gap={14}>
              {lines(rows).map((line) => (
                <Group key={line} wrap="nowrap" gap="lg">
                  <Skeleton h={11} w="18%" />
                  <Skeleton h={11} w={line % 2 ? '34%' : '48%'} />
                </Group>
              ))}
            </Stack>
          </Card>
        ))}
      </Stack>
    </LoadingStatus>
  )
}

/** A mail in its frame. */
export function LoadingMail() {
  return (
    <LoadingStatus>
      <Skeleton h={48} mb="md" />
      <Skeleton h={14} w="56%" mb="md" />
      <Skeleton h={480} />
    </LoadingStatus>
  )
}
