import { Button, Card, Container, NativeSelect, SegmentedControl, Stack, Text, Title } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useNavigate, useSearchParams } from 'react-router'
import { type BillingCycle, billingCycles, plans } from '../../../shared/billing/billing.ts'
import { billingTexts } from '../../../shared/billing/billing-texts.ts'
import { addTestCredits, type CreditPack, creditPacks } from '../../../shared/billing/credits.ts'
import { useHasPermission, useMe, useSubscription } from '../../core/access/queries.ts'
import { call } from '../../core/api/api.ts'
import { productName } from '../../core/ui/brand.ts'
import { LoadingPage } from '../../core/ui/Loading.tsx'
import { Notice } from '../../core/ui/Notice.tsx'
import { ReadOnly } from '../../core/ui/ReadOnly.tsx'
import { useOnce } from '../../core/ui/useOnce.ts'
import { BarePage } from '../../kits/page/BarePage.tsx'
import { NotFoundPage } from '../../kits/page/NotFoundPage.tsx'
import { explainUnusedCredits, formatBalance, packOptions } from './credit-copy.ts'
import { useCredits } from './credit-queries.ts'
import { cycleNames } from './detail-copy.ts'
import { PlanPermissionHint } from './PlanPermissionHint.tsx'
import { readCycle } from './pricing-rules.ts'
import { useManualUpdate } from './queries.ts'

const planNames = new Map(Object.entries(plans).map(([key, { name }]) => [key, name]))
const offered = ['free', 'starter', 'growth', 'professional', 'enterprise']

/** Sets a plan without payment; exists only in test mode (decision 3). */
export function TestSubscriptionPage() {
  const subscription = useSubscription()
  if (!subscription) return <LoadingPage />
  return subscription.isTestMode ? <TestSubscription current={subscription.plan} /> : <NotFoundPage />
}

function TestSubscription({ current }: { current: string | null }) {
  const mayPay = useHasPermission('billing:write')
  const isDemo = useMe()?.isDemo ?? false
  const navigate = useNavigate()
  return (
    <BarePage title="Test subscription">
      <Container size={480} p={0}>
        <Card padding="xl">
          <Stack gap="lg">
            <Title order={1}>Test subscription</Title>
            <Text c="dimmed">Test billing: plans are free here.</Text>
            <Text>
              Current plan: <strong>{current === null ? 'none' : (planNames.get(current) ?? current)}</strong>
            </Text>
            {!mayPay && <PlanPermissionHint hasPlan={current !== null} />}
            {isDemo && <ReadOnly>{billingTexts.demo}</ReadOnly>}
            <PlanForm current={current} isDisabled={!mayPay || isDemo} />
            <CreditsForm isDisabled={!mayPay || isDemo} />
            <Button variant="subtle" onClick={() => navigate('/')}>
              Continue to {productName}
            </Button>
          </Stack>
        </Card>
      </Container>
    </BarePage>
  )
}

function PlanForm({ current, isDisabled }: { current: string | null; isDisabled: boolean }) {
  const [search] = useSearchParams()
  const requestedPlan = search.get('plan')
  const [plan, setPlan] = useState(
    requestedPlan && offered.includes(requestedPlan) ? requestedPlan : (current ?? 'free'),
  )
  const [cycle, setCycle] = useState(readCycle(search))
  const update = useManualUpdate()
  return (
    <>
      <NativeSelect
        label="Plan"
        data={offered}
        value={plan}
        disabled={isDisabled}
        onChange={(event) => setPlan(event.currentTarget.value)}
      />
      <SegmentedControl
        aria-label="Billing period"
        value={cycle}
        disabled={isDisabled || plan === 'free'}
        onChange={(value) => setCycle(value as BillingCycle)}
        data={billingCycles.map((value) => ({ value, label: cycleNames[value] }))}
      />
      {update.error && (
        <Notice tone="bad" isLive>
          {update.error.message}
        </Notice>
      )}
      {update.data && (
        <Notice tone="good" isLive>
          {update.data.message}
        </Notice>
      )}
      <Button loading={update.isPending} disabled={isDisabled} onClick={() => update.mutate({ planKey: plan, cycle })}>
        Set this plan
      </Button>
    </>
  )
}

/** Shown where SMS go to the built-in phones or through this server's account, so credits have a use. */
function CreditsForm({ isDisabled }: { isDisabled: boolean }) {
  const credits = useCredits().data
  const [pack, setPack] = useState<CreditPack>(10)
  const add = useAddTestCredits()
  if (credits?.offer !== 'test') return null
  const note = explainUnusedCredits(credits)
  return (
    <>
      <Text>
        SMS credits: <strong>{formatBalance(credits.balanceMicros)}</strong>
      </Text>
      <NativeSelect
        label="Pack of credits"
        description={note ?? undefined}
        data={packOptions}
        value={String(pack)}
        disabled={isDisabled || note !== null}
        onChange={(event) => setPack(creditPacks.find((one) => String(one) === event.currentTarget.value) ?? 10)}
      />
      {add.error && (
        <Notice tone="bad" isLive>
          {add.error.message}
        </Notice>
      )}
      {add.data && (
        <Notice tone="good" isLive>
          You have {formatBalance(add.data.balanceMicros)} in credits.
        </Notice>
      )}
      <Button
        variant="default"
        loading={add.isPending}
        disabled={isDisabled || note !== null}
        onClick={() => add.mutate(pack)}
      >
        Add test credits
      </Button>
    </>
  )
}

function useAddTestCredits() {
  const queries = useQueryClient()
  return useOnce({
    mutationFn: (pack: CreditPack) => call(addTestCredits, { body: { pack } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['billing'] }),
  })
}
