import './billing.css'
import { Badge, Group, SegmentedControl, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link, Navigate, useSearchParams } from 'react-router'
import type { z } from 'zod'
import { type BillingCycle, type PlanKey, plans, type subscriptionStatus } from '../../shared/billing.ts'
import { billingTexts } from '../../shared/billing-texts.ts'
import { subscriptionQuery, useHasPermission, useInstance, useMe } from '../access/queries.ts'
import { BarePage } from '../shell/BarePage.tsx'
import { Loaded } from '../ui/Loaded.tsx'
import { LoadingCards } from '../ui/Loading.tsx'
import { Notice } from '../ui/Notice.tsx'
import { AddOns } from './AddOns.tsx'
import { CheckoutStep } from './CheckoutStep.tsx'
import { ContinueWithLite } from './ContinueWithLite.tsx'
import { type Choosing, useChoosePlan } from './choosing.ts'
import { LeavePaidPlan } from './LeavePaidPlan.tsx'
import { NoBilling } from './NoBilling.tsx'
import { PlanCard } from './PlanCard.tsx'
import { PlanPermissionHint } from './PlanPermissionHint.tsx'
import { PricingContact, PricingFaq } from './PricingFaq.tsx'
import {
  buildChangePath,
  findOffer,
  findPaidEnd,
  formatOnDay,
  isAtStripe,
  isCurrent,
  readChoice,
  readCycle,
} from './pricing-rules.ts'
import { buildSupportLink } from './rules.ts'

const keys = Object.keys(plans) as PlanKey[]
type Subscription = z.output<typeof subscriptionStatus.reply>

/** The plans and, once one is chosen (`?plan=&cycle=`), its cost: the step before the payment. */
export function PricingPage() {
  const query = useQuery(subscriptionQuery)
  const isBuying = readChoice(useSearchParams()[0]) !== null
  const title = isBuying && query.data?.sells !== 'none' ? billingTexts.completePurchase : 'Pricing'
  return (
    <BarePage title={title} size="lg" actions={<Actions hasPlan={query.data?.plan != null} />}>
      <Loaded query={query} loading={<LoadingCards count={3} />} failed={billingTexts.failed.loadStatus}>
        {(subscription) => <Content subscription={subscription} />}
      </Loaded>
    </BarePage>
  )
}

function Content({ subscription }: { subscription: Subscription }) {
  const mayPay = useHasPermission('billing:write')
  const isDemo = useMe()?.isDemo ?? false
  const choosing = useChoosePlan(subscription)
  const choice = readChoice(useSearchParams()[0])
  const mayChoose = mayPay && !isDemo
  const { sells, plan, hasUsedTrial } = subscription
  const isSold = sells !== 'none'
  if (choice && isSold && mayChoose) {
    if (isAtStripe(subscription))
      return <Navigate to={choice.plan === plan ? '/billing' : buildChangePath(choice.plan, choice.cycle)} replace />
    const isTest = sells === 'test'
    const asked = isTest ? { ...choice, extraStores: 0 } : choice
    return <CheckoutStep choice={asked} isTest={isTest} hasUsedTrial={hasUsedTrial} />
  }
  const advice = (
    <>
      {!mayPay && <PlanPermissionHint hasPlan={plan !== null} />}
      {isDemo && <Notice tone="info">{billingTexts.demo}</Notice>}
      {mayChoose && plan === null && (
        <ContinueWithLite isBusy={choosing.isBusy} onChoose={() => choosing.choose('free')} />
      )}
    </>
  )
  return isSold ? (
    <Plans subscription={subscription} choosing={choosing} mayChoose={mayChoose} advice={advice} />
  ) : (
    <Unsold subscription={subscription} advice={plan === null && advice} />
  )
}

function Unsold({ subscription, advice }: { subscription: Subscription; advice: ReactNode }) {
  const { planInForce, isUnlimited } = subscription
  return (
    <Stack gap="lg">
      {advice}
      <NoBilling plan={planInForce} isUnlimited={isUnlimited} supportEmail={useInstance()?.supportEmail} />
    </Stack>
  )
}

interface PlansProps {
  subscription: Subscription
  choosing: Choosing
  mayChoose: boolean
  advice: ReactNode
}

function Plans({ subscription, choosing, mayChoose, advice }: PlansProps) {
  const [search, setSearch] = useSearchParams()
  const cycle = readCycle(search)
  const supportEmail = useInstance()?.supportEmail
  const { plan, sells } = subscription
  const offer = (key: PlanKey) =>
    mayChoose && !(plan === null && key === 'free') ? findOffer(subscription, key, cycle) : null
  return (
    <Stack gap="xl">
      <Heading
        cycle={cycle}
        onCycle={(next) => setSearch({ cycle: next }, { replace: true, preventScrollReset: true })}
      />
      {sells === 'test' && (
        <Notice tone="info">This server is in billing test mode: choosing a plan charges nothing.</Notice>
      )}
      {advice}
      <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="md">
        {keys.map((key) => (
          <PlanCard
            key={key}
            planKey={key}
            isYearly={cycle === 'year'}
            isCurrent={isCurrent(subscription, key)}
            offer={offer(key)}
            isBusy={choosing.isBusy}
            onChoose={() => choosing.choose(key, cycle)}
          />
        ))}
      </SimpleGrid>
      <AddOns supportEmail={supportEmail} hasPlan={plan !== null} />
      <PricingFaq />
      {supportEmail && (
        <PricingContact supportEmail={supportEmail} supportLink={buildSupportLink(supportEmail, plan)} />
      )}
      {choosing.leaving && (
        <LeavePaidPlan
          opened
          current={choosing.leaving}
          end={isAtStripe(subscription) ? formatOnDay(findPaidEnd(subscription)) : null}
          isBusy={choosing.isBusy}
          problem={choosing.problem}
          onConfirm={choosing.leave}
          onClose={choosing.stay}
        />
      )}
    </Stack>
  )
}

const claims = ['14-day free trial', 'No credit card required', '30-day money-back guarantee']

function Heading({ cycle, onCycle }: { cycle: BillingCycle; onCycle: (cycle: BillingCycle) => void }) {
  return (
    <Stack gap="xs" align="center" ta="center">
      <Title order={1} fz={28}>
        Choose your plan
      </Title>
      <Text c="dimmed">Start free, change whenever you like.</Text>
      <Group gap="sm" mt="sm" justify="center">
        <SegmentedControl
          aria-label="Billing period"
          value={cycle}
          onChange={(value) => onCycle(value as BillingCycle)}
          data={[
            { value: 'month', label: 'Monthly' },
            { value: 'year', label: 'Yearly' },
          ]}
        />
        <Badge variant="light" size="lg" tt="none">
          {billingTexts.save}
        </Badge>
      </Group>
      <Text fz="sm" mt="xs">
        {claims.join(' · ')}
      </Text>
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
