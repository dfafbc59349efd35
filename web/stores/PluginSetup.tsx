import { Badge, Button, Card, Group, List, Text, Title } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { PLUGIN_ZIP } from './rules.ts'

/** The first way to connect, without API keys. */
export function PluginSetup() {
  return (
    <Card component="section" aria-label="Connect with the plugin">
      <Group gap="sm" mb={4}>
        <Title order={2}>With the plugin</Title>
        <Badge variant="light">Recommended</Badge>
      </Group>
      <Text fz="sm" c="dimmed" mb="md">
        No keys to copy. Carts are captured in both checkouts, before anybody presses “Place order”, and come back
        exactly as they were.
      </Text>
      <PluginSteps />
    </Card>
  )
}

export function PluginSteps() {
  return (
    <>
      <Button
        component="a"
        href={PLUGIN_ZIP}
        download
        leftSection={<IconDownload size={16} aria-hidden />}
        mb="md"
        w="fit-content"
      >
        Download the plugin
      </Button>
      <List type="ordered" spacing="sm" fz="sm">
        <List.Item>
          In WordPress, go to <strong>Plugins → Add New → Upload Plugin</strong>, choose the file, install and activate
          it.
        </List.Item>
        <List.Item>
          Open <strong>WooCommerce → Recoup</strong> and press <strong>Connect</strong>.
        </List.Item>
        <List.Item>You come back here to confirm the shop.</List.Item>
      </List>
    </>
  )
}
