import { Button, Card, Group, Stack, Text, Title } from '@mantine/core'
import { IconCircleX } from '@tabler/icons-react'
import { Link } from 'react-router'
import { EndedNotice } from '../stores/EndedNotice.tsx'

export function NotConnected() {
  return (
    <Stack gap="md">
      <EndedNotice />
      <Card>
        <Title order={2} mb="sm">
          Store Connection
        </Title>
        <Group gap="xs" mb="md">
          <IconCircleX size={20} color="var(--rc-bad)" aria-hidden />
          <Text>Not connected to any store</Text>
        </Group>
        <Text fz="sm" c="dimmed" mb="md">
          Connect your store first. Its settings, sending and the mail server included, are available after that.
        </Text>
        <Button component={Link} to="/store-setup" w="fit-content">
          Connect Store
        </Button>
      </Card>
    </Stack>
  )
}
