import { Anchor, Card, Code, List, Text, Title } from '@mantine/core'
import { SCOPES, type ShopifyForm } from './shopify-rules.ts'

interface Props {
  /** The kind of credentials the form asks for. */
  kind: ShopifyForm['kind']
}

/** Where to find the credentials in Shopify, beside the form that asks for them. */
export function ShopifyHelp({ kind }: Props) {
  return (
    <Card>
      <Title order={2} mb="sm">
        How to get your credentials
      </Title>
      <ShopifySteps kind={kind} />
    </Card>
  )
}

/** Keep docs/connecting-shopify.md in step. */
export function ShopifySteps({ kind }: Props) {
  return (
    <>
      <List type="ordered" spacing="sm" fz="sm">
        {kind === 'app' ? <AppSteps /> : <TokenSteps />}
        <List.Item>
          Copy the store’s address from <strong>Shopify → Settings → Domains</strong>: it ends in .myshopify.com.
        </List.Item>
      </List>
      <Text fz="sm" c="dimmed" mt="md">
        Your store needs the Grow plan or higher: on lower plans, Shopify hides emails and phone numbers. Credentials
        are stored encrypted and never shown again.
      </Text>
    </>
  )
}

const AppSteps = () => (
  <>
    <List.Item>
      Open the{' '}
      <Anchor href="https://dev.shopify.com/dashboard" target="_blank" rel="noreferrer" fz="sm" underline="always">
        Dev Dashboard
      </Anchor>{' '}
      with the organization that owns your store, and press <strong>Create app</strong>. Name it “Recoup”.
    </List.Item>
    <List.Item>
      Under <strong>Versions</strong>, create a version with these access scopes: <Scopes />. Add{' '}
      <Code>read_all_orders</Code> for data older than 60 days.
    </List.Item>
    <List.Item>
      Press <strong>Release</strong>, then <strong>Install app</strong> under Home, and choose your store.
    </List.Item>
    <List.Item>
      Open <strong>Settings → Credentials</strong> of the app and copy the client ID and the client secret.
    </List.Item>
  </>
)

/** For apps created in the Shopify admin. */
const TokenSteps = () => (
  <>
    <List.Item>
      Open the app in Shopify: <strong>Settings → Apps → Develop apps</strong>. If there is none, choose “Client ID and
      secret” above instead.
    </List.Item>
    <List.Item>
      Under <strong>Configuration</strong>, allow these Admin API scopes: <Scopes />. Then install the app.
    </List.Item>
    <List.Item>
      Under <strong>API credentials</strong>, copy the Admin API access token: it begins with <Code>shpat_</Code>.
      Shopify shows it only once. If you did not save it, uninstall the app, install it again and press Reveal token
      once.
    </List.Item>
    <List.Item>
      Copy the <strong>API secret key</strong> on the same page. Shopify signs its webhooks with it.
    </List.Item>
  </>
)

const Scopes = () => <Code style={{ overflowWrap: 'anywhere', whiteSpace: 'normal' }}>{SCOPES.join(',')}</Code>
