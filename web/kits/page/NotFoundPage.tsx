import { Anchor, Stack, Text, Title } from '@mantine/core'
import { Link } from 'react-router'
import { BarePage } from './BarePage.tsx'

export function NotFoundPage() {
  return (
    <BarePage title="Page not found">
      <Stack align="center" gap="xs" ta="center" pt={48}>
        <Text fz={56} fw={700} c="dimmed" lh={1} aria-hidden>
          404
        </Text>
        <Title order={1}>Page not found</Title>
        <Text c="dimmed">Sorry, we couldn't find the page you're looking for.</Text>
        <Anchor component={Link} to="/dashboard" mt="sm">
          Go back to Dashboard
        </Anchor>
      </Stack>
    </BarePage>
  )
}
