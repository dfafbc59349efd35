import { Button, List } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { PLUGIN_ZIP } from './rules.ts'

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
        <List.Item>You’ll return here to confirm.</List.Item>
      </List>
    </>
  )
}
