import { Box, Card, Container, Text } from '@mantine/core'
import type { ReactNode } from 'react'

/** A shopper's page: the store's name and nothing of the app. */
export function ShopperPage({
  title,
  storeName,
  size = 620,
  children,
}: {
  title: string
  storeName?: string | null
  size?: number
  children: ReactNode
}) {
  return (
    <Box mih="100dvh" py={{ base: 'md', sm: 56 }}>
      <title>{storeName ? `${title} · ${storeName}` : title}</title>
      <Container component="main" size={size}>
        {storeName && (
          <Text fw={700} fz="lg" ta="center" mb="md">
            {storeName}
          </Text>
        )}
        <Card padding="lg">{children}</Card>
      </Container>
    </Box>
  )
}
