import { Anchor, List, Text } from '@mantine/core'
import { findKeysPage } from './rules.ts'

/** If the store's address is known, links to its key page. */
export function KeysSteps({ storeUrl = '' }: { storeUrl?: string }) {
  const page = findKeysPage(storeUrl)
  return (
    <>
      <List type="ordered" spacing="sm" fz="sm">
        <List.Item>
          Open your WordPress admin and go to <strong>WooCommerce → Settings → Advanced → REST API</strong>.
          {page && (
            <>
              {' '}
              <Anchor href={page} target="_blank" rel="noreferrer" fz="sm" underline="always">
                Open it in your store
              </Anchor>
            </>
          )}
        </List.Item>
        <List.Item>
          Press <strong>Add key</strong>. Enter “Recoup” as description and choose an administrator or shop manager.
        </List.Item>
        <List.Item>
          Set permissions to <strong>Read/Write</strong>, so that your store can notify us of orders.
        </List.Item>
        <List.Item>
          Press <strong>Generate API key</strong> and copy both values. WooCommerce shows the secret only once.
        </List.Item>
        <List.Item>
          Check <strong>Settings → Permalinks</strong>: anything but “Plain” works.
        </List.Item>
      </List>
      <Text fz="sm" c="dimmed" mt="md">
        Keys are stored encrypted and never shown again. WooCommerce 5.0 or later is needed.
      </Text>
    </>
  )
}
