import { Badge, Group, SegmentedControl, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { Link, useNavigate } from 'react-router'
import { billingTexts, type PlanKey, plans } from '../../shared/billing.ts'
import { useInstance, useMay, useMe, useSubscription } from '../access/queries.ts'
import { BarePage } from '../shell/BarePage.tsx'
import { Notice } from '../ui/Notice.tsx'
import { ContinueWithLite } from './ContinueWithLite.tsx'
import { LeavePaidPlan } from './LeavePaidPlan.tsx'
import { PlanCard } from './PlanCard.tsx'
import { useCreateFree } from './queries.ts'
import { WhoMayChoose } from './WhoMayChoose.tsx'

const keys = Object.keys(plans) as PlanKey[]

export function PricingPage() {
  const [period, setPeriod] = useState('monthly')
  const subscription = useSubscription()
  const instance = useInstance()
  const mayPay = useMay('billing:write')
  const isDemo = useMe()?.isDemo ?? false
  const { choose, free, leaving, setLeaving } = useChoice(subscription)
  const mayChoose = mayPay && !isDemo
  const isFirst = mayChoose && subscription?.plan === null
  return (
    <BarePage title="Pricing" size="lg" actions={<Actions hasPlan={subscription?.plan != null} />}>
      <Stack gap="xl">
        <Heading period={period} onPeriod={setPeriod} />
        {!mayPay && <WhoMayChoose hasPlan={subscription?.plan != null} />}
        {isDemo && <Notice tone="info">{billingTexts.demo}</Notice>}
        {isFirst && <ContinueWithLite isBusy={free.isPending} onChoose={() => choose('free')} />}
        <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="md">
          {keys.map((key) => (
            <PlanCard
              key={key}
              planKey={key}
              isYearly={period === 'yearly'}
              isCurrent={subscription?.plan === key}
              isBusy={free.isPending}
              isTestMode={subscription?.isTestMode ?? false}
              mayPay={mayChoose && !(isFirst && key === 'free')}
              supportEmail={instance?.supportEmail}
              onChoose={() => choose(key)}
            />
          ))}
        </SimpleGrid>
      </Stack>
      {leaving && (
        <LeavePaidPlan
          opened
          current={leaving}
          isBusy={free.isPending}
          problem={free.error?.message}
          onConfirm={() => choose('free', true)}
          onClose={() => setLeaving(null)}
        />
      )}
    </BarePage>
  )
}

type Subscription = NonNullable<ReturnType<typeof useSubscription>>

function useChoice(subscription: Subscription | undefined) {
  const free = useCreateFree()
  const navigate = useNavigate()
  const [leaving, setLeaving] = useState<PlanKey | null>(null)
  const choose = (key: PlanKey, isSure = false) => {
    if (key !== 'free') return navigate(`/test-subscription?plan=${key}`)
    const paid = paidPlanOf(subscription)
    if (paid && !isSure) {
      free.reset()
      return setLeaving(paid)
    }
    const go = () => navigate('/store-setup')
    // The store set-up says what is missing when this failed (A 4.3); whoever has a plan keeps it and is told why.
    free.mutateAsync().then(go, paid ? () => undefined : go)
  }
  return { choose, free, leaving, setLeaving }
}

/** The plan that would end if another one were chosen. */
function paidPlanOf(subscription: Subscription | undefined): PlanKey | null {
  const plan = subscription?.planInForce ?? null
  return plan === 'free' ? null : plan
}

function Heading({ period, onPeriod }: { period: string; onPeriod: (period: string) => void }) {
  return (
    <Stack gap="xs" align="center" ta="center">
      <Title order={1} fz={28}>
        Choose your plan
      </Title>
      <Text c="dimmed">Start free, change whenever you like.</Text>
      <Group gap="sm" mt="sm" justify="center">
        <SegmentedControl
          aria-label="Billing period"
          value={period}
          onChange={onPeriod}
          data={[
            { value: 'monthly', label: 'Monthly' },
            { value: 'yearly', label: 'Yearly' },
          ]}
        />
        <Badge variant="light" size="lg" tt="none">
          Save 20%
        </Badge>
      </Group>
    </Stack>
  )
}

function Actions({ hasPlan }: { hasPlan: boolean }) {
  return (
    <>
      {hasPlan && (
        <Link to="/" className="header-link">
          Back to Recoup
        </Link>
      )}
      <Link to="/logout" className="header-link">
        Log out
      </Link>
    </>
  )
}
