import { Anchor, Button, Card, Group, Text, Title } from '@mantine/core'
import { IconCheck, IconCircleCheck, IconMinus, IconThumbUp } from '@tabler/icons-react'
import { Link } from 'react-router'
import { monthlyPrice, type PlanKey, plans } from '../../../shared/billing/billing.ts'
import { billingTexts } from '../../../shared/billing/billing-texts.ts'
import { StatusBadge } from '../../core/ui/StatusBadge.tsx'
import type { Offer } from './pricing-rules.ts'
import { explainLine, listLimits, listPlanLines, RECOMMENDED } from './rules.ts'

interface Props {
  planKey: PlanKey
  isYearly: boolean
  /** Null if this member may not choose a plan. */
  offer: Offer | null
  isCurrent: boolean
  /** The demo: the actions are shown, but do nothing. */
  isReadOnly: boolean
  isBusy: boolean
  onChoose: () => void
}

export function PlanCard(props: Props) {
  const { planKey, isYearly, isCurrent } = props
  const plan = plans[planKey]
  const isRecommended = planKey === RECOMMENDED
  const limits = listLimits(plan.limits)
  return (
    <Card padding="xl" h="100%" className="plan-card" data-recommended={isRecommended || undefined}>
      <Group justify="space-between" mih={28}>
        <Title order={2}>{plan.name}</Title>
        {isCurrent && <StatusBadge tone="good" icon={IconCircleCheck} label="Your plan" />}
        {isRecommended && !isCurrent && <StatusBadge tone="good" icon={IconThumbUp} label={billingTexts.recommended} />}
      </Group>
      <p className="plan-price">
        <b>${monthlyPrice(plan.priceMonthly, isYearly ? 'year' : 'month')}</b> /month
        {isYearly && plan.priceMonthly > 0 && <span>Billed yearly</span>}
      </p>
      <p className="plan-reason">{reasons[planKey]}</p>
      <div className="plan-choice">
        <Choice {...props} />
      </div>
      <Lines lines={limits} />
      <Lines lines={listPlanLines(planKey).slice(limits.length)} />
    </Card>
  )
}

const Lines = ({ lines }: { lines: readonly string[] }) => (
  <ul className="plan-lines">
    {lines.map((line) => {
      const Sign = line.startsWith('No ') ? IconMinus : IconCheck
      return (
        <li key={line} data-missing={Sign === IconMinus || undefined}>
          <Sign size={16} aria-hidden />
          <span>
            {line}
            {explainLine(line) && <small>{explainLine(line)}</small>}
          </span>
        </li>
      )
    })}
  </ul>
)

/** What a plan is for. */
const reasons: Readonly<Record<PlanKey, string>> = {
  free: 'One store and one flow, at no cost.',
  starter: billingTexts.recommendedReason,
  growth: 'SMS and WhatsApp in flows, and all stores in one view.',
}

function Choice({ planKey, offer, isCurrent, isReadOnly, isBusy, onChoose }: Props) {
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
      <Hint isCurrent>
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
  if (isReadOnly) {
    return (
      <Button disabled fullWidth>
        Choose {name}
      </Button>
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

const Hint = ({ isCurrent, children }: { isCurrent?: boolean; children: React.ReactNode }) => (
  <Text fz="sm" {...(isCurrent ? { className: 'plan-now' } : { c: 'dimmed' })}>
    {children}
  </Text>
)
