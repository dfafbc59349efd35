import { Anchor, Button, Card, Grid, Stack, Text, Title } from '@mantine/core'
import { IconReceipt } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link, Navigate, useSearchParams } from 'react-router'
import { billingTexts } from '../../shared/billing-texts.ts'
import type { SubscriptionDetail } from '../../shared/payments.ts'
import { subscriptionQuery, useHasPermission, useMe } from '../access/queries.ts'
import { Empty } from '../ui/Empty.tsx'
import { Loaded } from '../ui/Loaded.tsx'
import { LoadingCards } from '../ui/Loading.tsx'
import { Notice } from '../ui/Notice.tsx'
import { PageTitle } from '../ui/PageTitle.tsx'
import { ChangeDialog } from './ChangeDialog.tsx'
import { CheckoutReturn } from './CheckoutReturn.tsx'
import { CreditsCard } from './CreditsCard.tsx'
import { CreditsReturn } from './CreditsReturn.tsx'
import { parseChoice } from './change-copy.ts'
import { findActions, type SubscriptionActions } from './detail-copy.ts'
import { LimitsAndUsage } from './LimitsAndUsage.tsx'
import { PaymentHistory } from './PaymentHistory.tsx'
import { PlanPermissionHint } from './PlanPermissionHint.tsx'
import { PremiumFeatures } from './PremiumFeatures.tsx'
import { useDetail } from './payment-queries.ts'
import type { Overview } from './queries.ts'
import { RestingStores } from './RestingStores.tsx'
import { StatusCard } from './StatusCard.tsx'

const { failed, none } = billingTexts

/** A 2.7: plan, payments and limits of the account. */
export function BillingPage() {
  const detail = useDetail()
  const subscription = useQuery(subscriptionQuery)
  const loading = <LoadingCards count={3} rows={5} />
  return (
    <>
      <PageTitle title="Billing and Subscription" />
      <Stack gap="md">
        <CheckoutReturn />
        <CreditsReturn />
        <Loaded query={detail} loading={loading} failed={failed.loadDetails}>
          {(known) =>
            known ? (
              <Loaded query={subscription} loading={loading} failed={failed.loadStatus}>
                {(status) => <Known detail={known} subscription={status} />}
              </Loaded>
            ) : (
              <NoPlan />
            )
          }
        </Loaded>
      </Stack>
    </>
  )
}

interface KnownProps {
  detail: SubscriptionDetail
  subscription: Overview['subscription']
}

function Known({ detail, subscription }: KnownProps) {
  const isDemo = useMe()?.isDemo ?? false
  const mayLead = useHasPermission('billing:write')
  const mayRead = useHasPermission('billing:read')
  const may = findActions({ detail, subscription, mayPay: mayLead && !isDemo })
  // The notice above gives the reason.
  const deeds = isDemo ? { ...may, because: null } : may
  const isSold = subscription.sells !== 'none'
  return (
    <>
      {isDemo && <Notice tone="info">{billingTexts.demo}</Notice>}
      {!mayLead && isSold && <PlanPermissionHint hasPlan />}
      <AskedChange detail={detail} deeds={deeds} />
      <Grid gap="md">
        <Grid.Col span={{ base: 12, lg: 7 }}>
          <StatusCard detail={detail} subscription={subscription} deeds={deeds} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 5 }}>
          <LimitsAndUsage features={detail.features} />
        </Grid.Col>
      </Grid>
      <RestingStores subscription={subscription} />
      <CreditsCard mayBuy={mayLead && !isDemo} mayRead={mayRead} />
      <PremiumFeatures features={detail.features} />
      {detail.plan !== 'growth' && isSold && <Scale />}
      {mayRead && <PaymentHistory />}
    </>
  )
}

/** The address requests a change (`?change=`). Accounts that do not pay by card yet go through Pricing. */
function AskedChange({ detail, deeds }: { detail: SubscriptionDetail; deeds: SubscriptionActions }) {
  const [search] = useSearchParams()
  const asked = search.get('change')
  if (deeds.change === 'here') return <ChangeDialog detail={detail} />
  if (asked === null) return null
  if (deeds.change === null) {
    const first = deeds.canReactivate ? ENDING : deeds.canCancel ? OVERDUE : null
    return (
      first && (
        <Notice tone="info" isLive>
          {first}
        </Notice>
      )
    )
  }
  const { plan, cycle } = parseChoice({ plan: asked, cycle: search.get('cycle'), stores: null }, detail)
  return <Navigate replace to={`/pricing?plan=${plan}&cycle=${cycle}`} />
}

const ENDING = 'This subscription ends with its period. Reactivate it first, then change its plan.'
const OVERDUE = 'A payment is overdue. Pay it first, under Manage Billing, then change the plan.'

function NoPlan() {
  return (
    <Empty icon={IconReceipt} title={none.subscription} text={`${none.information}.`}>
      <Anchor component={Link} to="/pricing">
        {billingTexts.viewPlans}
      </Anchor>
    </Empty>
  )
}

const Scale = () => (
  <Card bg="var(--rc-brand-soft)">
    <Title order={2}>{billingTexts.scale}</Title>
    <Text mt={4} mb="md">
      A larger plan has room for more stores and more messages.
    </Text>
    <Button component={Link} to="/pricing" w="fit-content">
      {billingTexts.viewPlans}
    </Button>
  </Card>
)
