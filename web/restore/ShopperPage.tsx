import { Anchor, Box, Card, Container, Text } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import type { Language } from '../../shared/preferences.ts'

interface Props {
  title: string
  storeName?: string | null
  /** Its own site. */
  storeUrl?: string | null
  size?: number
  language?: Language
  children: ReactNode
}

/** A shopper's page: the store's name and nothing of the app. It answers one person's link, so no search finds it. */
export function ShopperPage({ title, storeName, storeUrl, size = 620, language = 'en', children }: Props) {
  useEffect(() => {
    document.documentElement.lang = language
    return () => {
      document.documentElement.lang = 'en'
    }
  }, [language])
  return (
    <Box mih="100dvh" py={{ base: 'md', sm: 56 }}>
      <title>{storeName ? `${title} · ${storeName}` : title}</title>
      <meta name="robots" content="noindex" />
      <Container component="main" size={size} lang={language}>
        {storeName && (
          <Text fw={700} fz="xl" ta="center" mb="md">
            {storeUrl ? (
              <Anchor href={storeUrl} rel="noreferrer" c="inherit" inherit>
                {storeName}
              </Anchor>
            ) : (
              storeName
            )}
          </Text>
        )}
        <Card padding="lg">{children}</Card>
      </Container>
    </Box>
  )
}
