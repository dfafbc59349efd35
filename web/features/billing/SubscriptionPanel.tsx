import { Anchor, Button, Card, Group, List, Stack, Text, Title } from '@mantine/core'
import { IconCheck, IconReceipt } from '@tabler/icons-react'
import { Link } from 'react-router'
import { type PlanKey, plans } from '../../../shared/billing/billing.ts'
import { billingTexts } from '../../../shared/billing/billing-texts.ts'
import { Empty } from '../../core/ui/Empty.tsx'
import { Loaded } from '../../core/ui/Loaded.tsx'
import { LoadingCards } from '../../core/ui/Loading.tsx'
import { CurrentPlan } from './CurrentPlan.tsx'
import { Meters } from './Meters.tsx'
import { useOverview } from './queries.ts'
import { listInheritedFeatures } from './rules.ts'

interface Props {
  /** Called when a link inside was followed. */
  onLeave: () => void
}

/** Content of the drawer opened from the header (A 2.12). */
export function SubscriptionPanel({ onLeave }: Props) {
  const overview = useOverview()
  return (
    <Loaded query={overview} loading={<LoadingCards count={3} />} failed={billingTexts.failed.loadStatus}>
      {({ subscription, usage }) => {
        const { plan, planInForce } = subscription
        if (!plan) return <NoSubscription onLeave={onLeave} />
        return (
          <Stack gap="md">
            <Card>
              <CurrentPlan subscription={subscription} />
            </Card>
            <Card>
              <Title order={2} mb="md">
                Plan limits
              </Title>
              <Meters usage={usage} />
            </Card>
            <Card>
              <Title order={2} mb="sm">
                Plan features
              </Title>
              <Features plan={planInForce ?? plan} />
            </Card>
            {plan !== 'growth' && subscription.sells !== 'none' && <Scale onLeave={onLeave} />}
            <Group gap="lg">
              <Anchor component={Link} to="/billing" onClick={onLeave}>
                Billing and Subscription
              </Anchor>
              {plan === 'growth' && <ViewPlans onLeave={onLeave} />}
            </Group>
          </Stack>
        )
      }}
    </Loaded>
  )
}

const NoSubscription = ({ onLeave }: Props) => (
  <Empty icon={IconReceipt} text={billingTexts.none.information}>
    <ViewPlans onLeave={onLeave} />
  </Empty>
)

const Features = ({ plan }: { plan: PlanKey }) => (
  <List
    spacing={6}
    fz="sm"
    center
    icon={<IconCheck size={16} color="var(--rc-accent)" aria-hidden style={{ display: 'block' }} />}
  >
    {[...listInheritedFeatures(plan), ...plans[plan].features].map((feature) => (
      <List.Item key={feature}>{feature}</List.Item>
    ))}
  </List>
)

const Scale = ({ onLeave }: Props) => (
  <Card bg="var(--rc-brand-soft)">
    <Title order={2}>{billingTexts.scale}</Title>
    <Text mt={4} mb="md">
      A larger plan includes more stores and messages.
    </Text>
    <Button component={Link} to="/pricing" onClick={onLeave} w="fit-content">
      {billingTexts.viewPlans}
    </Button>
  </Card>
)

const ViewPlans = ({ onLeave }: Props) => (
  <Anchor component={Link} to="/pricing" onClick={onLeave} w="fit-content">
    {billingTexts.viewPlans}
  </Anchor>
)
