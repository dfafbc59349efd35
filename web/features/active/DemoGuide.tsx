import './active.css'
import { Anchor, Button, Card, CloseButton, Text, Title } from '@mantine/core'
import { Link } from 'react-router'
import type { ActiveCart } from '../../../shared/carts/active-carts.ts'
import { capabilities } from '../../../shared/platforms/platforms.ts'
import { useDemoShop, useInstance, useStore } from '../../core/access/queries.ts'
import { FollowedCart, FollowedFoot } from './FollowedCart.tsx'
import { type FollowedStep, findNextStep } from './followed.ts'
import { type Following, useFollowing } from './following.ts'
import { useConsentRules, useFollowed } from './queries.ts'
import { Until } from './Until.tsx'

/** Guides a demo visitor from the store to a recovered cart. Closes itself at the end and can be dismissed. */
export function DemoGuide() {
  const store = useStore()
  if (!store) return null
  const { pushHost, plugin } = capabilities[store.platform]
  return <OfStore key={store.id} storeId={store.id} takesPush={pushHost} hasAdmin={plugin} />
}

/** The newest cart of the last hour; older ones are demo history. */
const ANY: Following = {}

interface DemoStore {
  storeId: string
  takesPush: boolean
  /** The demo store's admin shows its API key. */
  hasAdmin: boolean
}

function OfStore({ storeId, takesPush, hasAdmin }: DemoStore) {
  const { following, follow, hide, isHidden } = useFollowing(storeId)
  const instance = useInstance()
  const rules = useConsentRules(!isHidden).data
  const shop = useDemoShop()
  const found = useFollowed(isHidden ? null : (following ?? ANY)).data
  if (isHidden || !shop || (found && isLongOver(found))) return null
  const toShop = <ExternalLink href={shop}>Open the demo store</ExternalLink>
  const toMail = instance?.mailboxUrl && (
    <ExternalLink href={buildMailSearch(instance.mailboxUrl, found?.cart?.customer_email)}>
      Open the mailbox
    </ExternalLink>
  )
  return (
    <Card component="section" aria-label="Guide to the demo">
      <div className="guide-head">
        <Title order={2}>Win back a cart of your own</Title>
        <CloseButton aria-label="Hide this guide" onClick={hide} />
      </div>
      <FollowedCart
        following={following ?? ANY}
        onFound={follow}
        stepActions={{ cart: toShop, email: toShop, clicked: toMail, bought: toShop }}
        consentRules={rules}
        head={(steps, cart, aheadMs) => <Summary steps={steps} cart={cart} aheadMs={aheadMs} />}
        foot={(cart) =>
          cart &&
          (cart.state === 'recovered' ? (
            <FollowedFoot cart={cart} endLabel="Finish" onEnd={hide} />
          ) : (
            <FollowedFoot
              cart={cart}
              endLabel="Follow a newer cart"
              onEnd={found?.hasNewer ? () => follow(isNewerThan(cart)) : null}
            />
          ))
        }
      />
      {(takesPush || hasAdmin) && (
        <Text fz="sm" mt="md" c="dimmed">
          Also try: {takesPush && <PushHint />}
          {takesPush && hasAdmin && ' or '}
          {hasAdmin && <OwnAccountHint shop={shop} />}.
        </Text>
      )}
    </Card>
  )
}

const PushHint = () => (
  <>
    a reminder in your browser (switch it on in the{' '}
    <Anchor component={Link} to="/push-notifications" inherit underline="always">
      Push Notification Manager
    </Anchor>
    ; quiet hours are 9 pm–8 am New York time)
  </>
)

export const OwnAccountHint = ({ shop }: { shop: string }) => (
  <>
    your own account with this shop (its API key is in the{' '}
    <Anchor href={new URL('/wp-admin/', shop).href} target="_blank" rel="noreferrer" inherit underline="always">
      store admin
    </Anchor>
    )
  </>
)

const HALF_HOUR_MS = 1_800_000

/** The guide is complete; returning visitors do not see it again. */
const isLongOver = ({ cart, now }: { cart: ActiveCart | null; now: string }) =>
  cart?.state === 'recovered' && Date.parse(now) - Date.parse(cart.last_activity) > HALF_HOUR_MS

const isNewerThan = ({ last_activity }: ActiveCart): Following => ({
  since: new Date(Date.parse(last_activity) + 1).toISOString(),
})

const buildMailSearch = (mailbox: string, email: string | null | undefined) =>
  email ? `${mailbox}/?to=${encodeURIComponent(email)}` : mailbox

const ExternalLink = ({ href, children }: { href: string; children: string }) => (
  <Button component="a" href={href} target="_blank" rel="noreferrer" size="xs">
    {children}
  </Button>
)

function Summary({ steps, cart, aheadMs }: { steps: FollowedStep[]; cart: ActiveCart | null; aheadMs: number }) {
  const next = findNextStep(steps)
  const amount = steps.find(({ name }) => name === 'bought')?.amount
  if (cart?.state === 'recovered') {
    return (
      <div className="guide-won" role="status">
        {amount && <span className="guide-amount">{amount}</span>}
        <Text fz="sm">Recovered. Recoup does this for every shopper it may contact.</Text>
      </div>
    )
  }
  return (
    <Text c="dimmed" fz="sm" mt={4}>
      {!cart && 'No cart yet. Fill one in the demo store and watch what happens to it.'}
      {cart && (
        <>
          1 cart seen
          {next?.at && next.state !== 'problem' && (
            <>
              , {next.name === 'sent' ? 'email' : 'abandoned'} <Until at={next.at} aheadMs={aheadMs} />
            </>
          )}
          {next?.name === 'clicked' && next.state === 'now' && ', email sent'}.
        </>
      )}
    </Text>
  )
}
