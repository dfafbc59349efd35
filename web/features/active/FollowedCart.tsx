import { Anchor, Button, Group, Text } from '@mantine/core'
import { IconShieldCheck } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useEffect } from 'react'
import { Link } from 'react-router'
import type { ActiveCart } from '../../../shared/carts/active-carts.ts'
import type { ConsentTable } from '../../../shared/shoppers/consent.ts'
import { ApiError } from '../../core/api/api.ts'
import { Failed } from '../../core/ui/Failed.tsx'
import { LoadingList } from '../../core/ui/Loading.tsx'
import { useCartMessages } from '../../kits/carts/queries.ts'
import { useFlows } from '../../kits/flows/queries.ts'
import { FollowedSteps } from './FollowedSteps.tsx'
import { buildFollowedSteps, type FollowedStep, isOver, type StepName } from './followed.ts'
import type { Following } from './following.ts'
import { explainPermission } from './permission.ts'
import { useFollowed } from './queries.ts'

interface Props {
  following: Following
  /** Called when the cart is found; from then on it is followed by its id. */
  onFound: (following: Following) => void
  stepActions: Partial<Record<StepName, ReactNode>>
  /** Summary above the steps. */
  head?: (steps: FollowedStep[], cart: ActiveCart | null, aheadMs: number) => ReactNode
  /** Consent rules by country, to explain why an email may be sent. */
  consentRules?: ConsentTable | undefined
  /** Content below the steps. */
  foot: (cart: ActiveCart | null) => ReactNode
}

/** One cart, step by step, updated by live events. */
export function FollowedCart({ following, onFound, ...props }: Props) {
  const found = useFollowed(following)
  const id = found.data?.cart?.id
  const isAnswer = !found.isPlaceholderData
  useEffect(() => {
    if (isAnswer && id && id !== following.id) onFound({ id })
  }, [isAnswer, id, following.id, onFound])
  if (found.data)
    return id ? (
      <WithMessages id={id} found={found.data} {...props} />
    ) : (
      <Steps found={found.data} {...props} email={following.email ?? null} />
    )
  if (found.isPending) return <LoadingList count={3} />
  const isMissing = found.error instanceof ApiError && found.error.status === 404
  if (isMissing) return <MissingCart foot={props.foot} />
  return <Failed title="The cart could not be followed" error={found.error!} onRetry={() => found.refetch()} />
}

const MissingCart = ({ foot }: Pick<Props, 'foot'>) => (
  <>
    <Text fz="sm" c="dimmed">
      The followed cart no longer exists.
    </Text>
    {foot(null)}
  </>
)

type FoundCart = NonNullable<ReturnType<typeof useFollowed>['data']>
type FollowedProps = Omit<Props, 'following' | 'onFound'> & { found: FoundCart; email?: string | null }

function WithMessages({ id, ...props }: FollowedProps & { id: string }) {
  const record = useCartMessages(id)
  return <Steps {...props} record={record.data} />
}

function Steps({
  found,
  record,
  stepActions,
  head,
  consentRules,
  foot,
  email = null,
}: FollowedProps & { record?: ReturnType<typeof useCartMessages>['data'] }) {
  const flows = useFlows()
  const steps = buildFollowedSteps({
    found,
    email,
    flows: flows.data?.flows,
    messages: record?.messages ?? [],
    timeline: record?.timeline ?? [],
    order: record?.order ?? null,
  })
  const permission = consentRules && explainPermission(record?.messages ?? [], consentRules)
  return (
    <>
      {head?.(steps, found.cart, found.aheadMs)}
      <FollowedSteps steps={steps} aheadMs={found.aheadMs} stepActions={stepActions} />
      {permission && (
        <Text fz="sm" mt="sm" className="followed-why">
          <IconShieldCheck size={16} aria-hidden />
          {permission}
        </Text>
      )}
      {foot(found.cart)}
    </>
  )
}

/** Link to the cart's page and the button to stop following; null if there is nothing to link to. */
export function FollowedFoot({
  cart,
  onEnd,
  endLabel,
}: {
  cart: ActiveCart | null
  onEnd: (() => void) | null
  endLabel: string
}) {
  return (
    <Group gap="md" mt="sm">
      {onEnd && (
        <Button size="xs" variant={isOver(cart) ? 'filled' : 'default'} onClick={onEnd}>
          {endLabel}
        </Button>
      )}
      {cart && (
        <Anchor component={Link} to={`/carts/${cart.id}`} fz="sm">
          Messages and history of this cart
        </Anchor>
      )}
    </Group>
  )
}
