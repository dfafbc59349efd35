import { Anchor, Card, Code, List, Text, Title } from '@mantine/core'
import { SCOPES } from './shopify-rules.ts'

/** Where to click in Shopify to get the credentials, beside the form that asks for them. */
export function ShopifyHelp() {
  return (
    <Card>
      <Title order={2} mb="sm">
        How to get your credentials
      </Title>
      <ShopifySteps />
    </Card>
  )
}

/** docs/connecting-shopify.md says the same: change both. */
export function ShopifySteps() {
  return (
    <>
      <List type="ordered" spacing="sm" fz="sm">
        <List.Item>
          Open the{' '}
          <Anchor href="https://dev.shopify.com/dashboard" target="_blank" rel="noreferrer" fz="sm" underline="always">
            Dev Dashboard
          </Anchor>{' '}
          with the organization that owns your store, and press <strong>Create app</strong>. As name write “Recoup”.
        </List.Item>
        <List.Item>
          Under <strong>Versions</strong>, make a version with these access scopes:{' '}
          <Code style={{ overflowWrap: 'anywhere', whiteSpace: 'normal' }}>{SCOPES.join(',')}</Code>. Add{' '}
          <Code>read_all_orders</Code> to see figures of more than the last 60 days.
        </List.Item>
        <List.Item>
          Press <strong>Release</strong>, then <strong>Install app</strong> under Home, and choose your store.
        </List.Item>
        <List.Item>
          Open <strong>Settings → Credentials</strong> of the app and copy the client ID and the client secret.
        </List.Item>
        <List.Item>
          Copy the store’s address from <strong>Shopify → Settings → Domains</strong>: it ends in .myshopify.com.
        </List.Item>
      </List>
      <Text fz="sm" c="dimmed" mt="md">
        Your store needs the Grow plan or a higher one: on lower plans Shopify withholds emails and phone numbers from a
        store’s own app. The credentials are stored encrypted and are never shown again.
      </Text>
    </>
  )
}
