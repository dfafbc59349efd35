import { Anchor, Center, Group, Loader, Stack, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { readPage } from '../../core/api/api.ts'

/** The landing page is outside the app: it replaces this document at the same address (A 2.1). */
export function LandingRoute() {
  const [hasFailed, setFailed] = useState(false)
  useEffect(() => {
    const stopping = new AbortController()
    readPage('/landing.html', stopping.signal).then(
      (html) => {
        document.open()
        // `document.open` removed all listeners, so handle Back until the page's own script has loaded
        // (screens/landing/landing.ts).
        const path = location.pathname
        addEventListener('popstate', () => {
          if (location.pathname !== path) location.reload()
        })
        document.write(html)
        document.close()
      },
      (error: unknown) => {
        if (stopping.signal.aborted) return
        console.error('The landing page could not be loaded.', error)
        setFailed(true)
      },
    )
    return () => stopping.abort()
  }, [])
  return (
    <Center mih="60vh" role="status">
      <Stack align="center">
        <Group gap="sm">
          <Loader size="sm" />
          <Text c="dimmed">Loading landing page...</Text>
        </Group>
        {hasFailed && <Anchor href="/login">Sign in</Anchor>}
      </Stack>
    </Center>
  )
}
