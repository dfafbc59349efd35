import { Anchor, Button, Card, Group, List, Stack, Text, Title } from '@mantine/core'
import { IconCheck, IconCircleCheck, IconMinus, IconThumbUp } from '@tabler/icons-react'
import { Link } from 'react-router'
import { monthlyPrice, type PlanKey, plans } from '../../../shared/billing/billing.ts'
import { billingTexts } from '../../../shared/billing/billing-texts.ts'
import { StatusBadge } from '../../core/ui/StatusBadge.tsx'
import type { Offer } from './pricing-rules.ts'
import { explainLine, listPlanLines, RECOMMENDED } from './rules.ts'

interface Props {
  planKey: PlanKey
  isYearly: boolean
  /** Null if this member may not choose a plan. */
  offer: Offer | null
  isCurrent: boolean
  isBusy: boolean
  onChoose: () => void
}

export function PlanCard(props: Props) {
  const plan = plans[props.planKey]
  const isRecommended = props.planKey === RECOMMENDED
  return (
    <Card padding="xl" h="100%" {...(isRecommended && { className: 'recommended-plan' })}>
      <Stack gap="md" h="100%">
        <Group justify="space-between">
          <Title order={2}>{plan.name}</Title>
          {props.isCurrent && <StatusBadge tone="good" icon={IconCircleCheck} label="Your plan" />}
          {isRecommended && !props.isCurrent && (
            <StatusBadge tone="good" icon={IconThumbUp} label={billingTexts.recommended} />
          )}
        </Group>
        <div>
          <Text span fz={34} fw={700} className="tabular" lh={1}>
            ${monthlyPrice(plan.priceMonthly, props.isYearly ? 'year' : 'month')}
          </Text>
          <Text span c="dimmed">
            {' '}
            /month
          </Text>
          <Text fz="sm" c="dimmed" mih={22}>
            {props.isYearly && plan.priceMonthly > 0 ? 'Billed yearly' : ''}
          </Text>
          <Text fz="sm" mih={44}>
            {isRecommended ? billingTexts.recommendedReason : ''}
          </Text>
        </div>
        <List
          spacing={8}
          fz="sm"
          icon={<IconCheck size={16} color="var(--rc-accent)" aria-hidden style={{ display: 'block' }} />}
          style={{ flex: 1 }}
        >
          {listPlanLines(props.planKey).map((line) => (
            <List.Item
              key={line}
              {...(line.startsWith('No ') && {
                c: 'dimmed',
                icon: <IconMinus size={16} aria-hidden style={{ display: 'block' }} />,
              })}
            >
              {line}
              {explainLine(line) && (
                <Text span fz="xs" c="dimmed" display="block">
                  {explainLine(line)}
                </Text>
              )}
            </List.Item>
          ))}
        </List>
        <Choice {...props} />
      </Stack>
    </Card>
  )
}

function Choice({ planKey, offer, isCurrent, isBusy, onChoose }: Props) {
  const { name } = plans[planKey]
  if (offer?.kind === 'ends') {
    return (
      <Hint>
        {offer.text}{' '}
        <Anchor underline="always" component={Link} to="/billing" fz="sm">
          Reactivate under Billing
        </Anchor>
      </Hint>
    )
  }
  if (isCurrent) {
    return (
      <Hint>
        This is your current plan.
        {offer?.kind === 'current' && offer.changeTo && (
          <>
            {' '}
            <Anchor underline="always" component={Link} to={offer.changeTo} fz="sm">
              Change period or stores
            </Anchor>
          </>
        )}
      </Hint>
    )
  }
  // The notice above the plans shows whom to ask.
  if (!offer) return null
  if (offer.kind === 'waits') return <Hint>{offer.text}</Hint>
  if (offer.kind === 'change') {
    return (
      <Button component={Link} to={offer.to} variant={planKey === RECOMMENDED ? 'filled' : 'default'} fullWidth>
        Change to {name}
      </Button>
    )
  }
  const isFree = planKey === 'free'
  return (
    <Button
      variant={planKey === RECOMMENDED ? 'filled' : 'default'}
      onClick={onChoose}
      loading={isFree && isBusy}
      fullWidth
    >
      {isFree ? 'Start with' : 'Choose'} {name}
    </Button>
  )
}

const Hint = ({ children }: { children: React.ReactNode }) => (
  <Text fz="sm" c="dimmed">
    {children}
  </Text>
)
