import { Anchor, Button, Group, Text, TextInput, Title } from '@mantine/core'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { Link } from 'react-router'
import { useMe, useStore } from '../access/queries.ts'
import { useFlows } from '../flows/queries.ts'
import { formatMinutes } from '../ui/format.ts'
import { FollowedCart, FollowedFoot } from './FollowedCart.tsx'
import { findTimeoutPath, isOver } from './followed.ts'
import type { useFollowing } from './following.ts'

interface Props {
  followState: ReturnType<typeof useFollowing>
  timeoutMinutes: number
  /** Server time. */
  now: string
  onClose: () => void
}

/** The owner fills a cart in their own shop and watches its progress. It is processed like any other cart. */
export function TestCart({ followState, onClose, ...about }: Props) {
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
          ways={{
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
        Put something in the cart in your shop, start the checkout, enter the address below, and leave. The cart is
        treated like any other: it counts as abandoned after {formatMinutes(timeoutMinutes)} without activity, the
        consent rules apply to it, and it is included in your figures.{' '}
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
