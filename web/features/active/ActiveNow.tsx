import './active.css'
import { Anchor, Button, Card, Group, Text, TextInput, Title } from '@mantine/core'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { Link, useSearchParams } from 'react-router'
import type { ActiveCart } from '../../../shared/carts/active-carts.ts'
import { capabilities } from '../../../shared/platforms/platforms.ts'
import { useMe, useStore } from '../../core/access/queries.ts'
import { Failed } from '../../core/ui/Failed.tsx'
import { formatCounted, formatMinutes } from '../../core/ui/format.ts'
import { LoadingList } from '../../core/ui/Loading.tsx'
import { Money } from '../../core/ui/Money.tsx'
import { useFlows } from '../../kits/flows/queries.ts'
import { FollowedCart, FollowedFoot } from './FollowedCart.tsx'
import { findTimeoutPath, formatItems, isOver } from './followed.ts'
import { useFollowing } from './following.ts'
import { useActiveCarts } from './queries.ts'
import { Until } from './Until.tsx'

/** Live view of carts being filled, and of a followed test cart. */
export function ActiveNow() {
  const store = useStore()
  return store && <OfStore key={store.id} storeId={store.id} />
}

const TRY = 'try'

function OfStore({ storeId }: { storeId: string }) {
  const active = useActiveCarts()
  const isDemo = useMe()?.isDemo
  const followState = useFollowing(storeId)
  const [search, setSearch] = useSearchParams()
  const isTrying = search.get(TRY) === 'cart'
  const tryIt = (isOpen: boolean) =>
    setSearch(isOpen ? { [TRY]: 'cart' } : {}, { replace: true, preventScrollReset: true })
  const isQuiet = active.data?.carts.length === 0 && (isDemo || (!followState.following && !isTrying))
  return (
    <Card component="section" aria-label="Active now" {...(isQuiet && { className: 'active-quiet' })}>
      <div className="active-head">
        <Title order={2}>Active now</Title>
        {active.data && active.data.total > 0 && <Sum {...active.data} />}
      </div>
      {active.data ? (
        <>
          <Carts {...active.data} />
          {!isDemo && !followState.following && !isTrying && (
            <div className="active-foot">
              <Button size="xs" variant="default" onClick={() => tryIt(true)}>
                Try it with a test cart
              </Button>
            </div>
          )}
          {!isDemo && (followState.following || isTrying) && (
            <TestCart
              followState={followState}
              timeoutMinutes={active.data.timeoutMinutes}
              now={active.data.now}
              onClose={() => tryIt(false)}
            />
          )}
        </>
      ) : active.isPending ? (
        <LoadingList count={1} />
      ) : (
        <Failed title="The active carts could not be loaded" error={active.error} onRetry={() => active.refetch()} />
      )}
    </Card>
  )
}

type Active = NonNullable<ReturnType<typeof useActiveCarts>['data']>

function Sum({ total, isCapped, values }: Active) {
  return (
    <span className="active-sum">
      {formatCounted(total, 'cart')}
      {isCapped && ' or more'}
      {values.map((value) => (
        <span key={value.currency}>
          {' · '}
          <Money {...value} />
        </span>
      ))}
    </span>
  )
}

function Carts({ carts, total, timeoutMinutes, aheadMs }: Active) {
  if (carts.length === 0) return <NoCarts timeoutMinutes={timeoutMinutes} />
  const more = total - carts.length
  return (
    <>
      <ul className="active-list">
        {carts.map((cart) => (
          <li key={cart.id}>
            <ActiveCartRow cart={cart} aheadMs={aheadMs} />
          </li>
        ))}
      </ul>
      {more > 0 && (
        <Text fz="xs" c="dimmed">
          The newest of {formatCounted(total, 'cart')}.
        </Text>
      )}
    </>
  )
}

function NoCarts({ timeoutMinutes }: { timeoutMinutes: number }) {
  const store = useStore()
  // The demo store always has the script, so an empty list means that no cart was filled yet.
  if (store?.mode === 'limited' && !store.isDemo) {
    const { plugin } = capabilities[store.platform]
    return (
      <Text fz="sm" c="dimmed" mt={4}>
        Once {plugin ? 'the plugin or the tracking script' : 'the tracking script'} is installed, carts appear here as
        shoppers fill them.{' '}
        <Anchor component={Link} to={plugin ? '/settings' : '/settings/capture-script'} inherit underline="always">
          {plugin ? 'Install one of them' : 'Install it'}
        </Anchor>
      </Text>
    )
  }
  return (
    <Text fz="sm" c="dimmed" mt={4}>
      No cart is being filled right now. Fill one in {store?.isDemo ? 'the demo store' : 'your shop'}: it appears within
      seconds and counts as abandoned after {formatMinutes(timeoutMinutes)} without activity.
    </Text>
  )
}

function ActiveCartRow({ cart, aheadMs }: { cart: ActiveCart; aheadMs: number }) {
  const email = cart.customer_email ?? cart.unconfirmed.email
  return (
    <Link to={`/carts/${cart.id}`} className="active-cart">
      <span className="active-name">
        {cart.customer_name === 'Guest' && email ? email : cart.customer_name}
        {!email && ' · no email yet'}
      </span>
      <span className="active-value">
        <Money amount={cart.total} currency={cart.currency} />
      </span>
      <span className="active-items">{formatItems(cart)}</span>
      {cart.abandons_at && (
        <span className="active-until">
          counts as abandoned <Until at={cart.abandons_at} aheadMs={aheadMs} />
        </span>
      )}
    </Link>
  )
}

interface Props {
  followState: ReturnType<typeof useFollowing>
  timeoutMinutes: number
  /** Server time. */
  now: string
  onClose: () => void
}

/** The owner fills a cart in their own shop and watches its progress. It is processed like any other cart. */
function TestCart({ followState, onClose, ...about }: Props) {
  const { following, follow } = followState
  const url = useStore()?.store_url
  return (
    <section className="active-try" aria-label="Test cart">
      <Title order={3} fz="md">
        Test cart
      </Title>
      {following ? (
        <FollowedCart
          following={following}
          onFound={follow}
          stepActions={{
            cart: <ShopLink url={url} />,
            email: <ShopLink url={url} />,
            sent: (
              <Button component={Link} to="/flows" size="xs" variant="default">
                Open flows
              </Button>
            ),
          }}
          foot={(cart) => (
            <FollowedFoot cart={cart} endLabel={isOver(cart) ? 'Done' : 'Stop following'} onEnd={() => follow(null)} />
          )}
        />
      ) : (
        <StartForm follow={follow} onClose={onClose} {...about} />
      )}
    </section>
  )
}

const ShopLink = ({ url }: { url: string | undefined }) => (
  <Button component="a" href={url} target="_blank" rel="noreferrer" size="xs" variant="default">
    Open your shop
  </Button>
)

function StartForm({
  follow,
  timeoutMinutes,
  now,
  onClose,
}: Pick<Props, 'timeoutMinutes' | 'now' | 'onClose'> & Pick<Props['followState'], 'follow'>) {
  const [email, setEmail] = useState(useMe()?.email ?? '')
  const field = useRef<HTMLInputElement>(null)
  // The user asked for it, perhaps from the checklist above.
  useEffect(() => field.current?.focus(), [])
  const begin = (event: FormEvent) => {
    event.preventDefault()
    follow({ since: now, email: email.trim().toLowerCase() })
  }
  return (
    <form onSubmit={begin}>
      <Text fz="sm" mb="sm">
        Fill a cart in your shop, start the checkout, enter the address below, and leave. It counts as abandoned after{' '}
        {formatMinutes(timeoutMinutes)} without activity. Your rules and figures include it like any other cart.{' '}
        <Anchor
          component={Link}
          to={findTimeoutPath(useFlows().data?.flows, timeoutMinutes)}
          inherit
          underline="always"
        >
          Change that time
        </Anchor>
      </Text>
      <TextInput
        ref={field}
        type="email"
        required
        withAsterisk={false}
        label="Address you will enter at checkout"
        maw={420}
        value={email}
        maxLength={254}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
      <Group gap="sm" mt="md">
        <Button type="submit" size="xs">
          Follow my test cart
        </Button>
        <Button size="xs" variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Anchor component={Link} to="/settings/sending/mail-server" fz="sm">
          Send a test email without a cart
        </Anchor>
      </Group>
    </form>
  )
}
