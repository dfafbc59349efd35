import './billing.css'
import {
  Anchor,
  Badge,
  Button,
  Card,
  Group,
  List,
  NumberInput,
  SegmentedControl,
  SimpleGrid,
  Stack,
  Text,
  Title,
} from '@mantine/core'
import { IconArrowLeft, IconCheck } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useEffect, useRef, useState } from 'react'
import { Link, Navigate, useNavigate, useSearchParams } from 'react-router'
import type { z } from 'zod'
import {
  type BillingCycle,
  EXTRA_STORE_MONTHLY,
  GRACE_DAYS,
  GUARANTEE_DAYS,
  MAX_EXTRA_STORES,
  type PlanKey,
  plans,
  type subscriptionStatus,
  TRIAL_DAYS,
} from '../../../shared/billing/billing.ts'
import { billingTexts } from '../../../shared/billing/billing-texts.ts'
import { type Credits, creditPacks } from '../../../shared/billing/credits.ts'
import { createCheckoutSession } from '../../../shared/billing/payments.ts'
import { subscriptionQuery, useHasPermission, useInstance, useMe } from '../../core/access/queries.ts'
import { ApiError, call } from '../../core/api/api.ts'
import { productName } from '../../core/ui/brand.ts'
import { Loaded } from '../../core/ui/Loaded.tsx'
import { LoadingCards } from '../../core/ui/Loading.tsx'
import { Money } from '../../core/ui/Money.tsx'
import { Notice } from '../../core/ui/Notice.tsx'
import { ReadOnly } from '../../core/ui/ReadOnly.tsx'
import { useOnce } from '../../core/ui/useOnce.ts'
import { BarePage } from '../../kits/page/BarePage.tsx'
import { type Choice, describeExtraStore } from './change-copy.ts'
import { formatCredits, isUsingCredits } from './credit-copy.ts'
import { useCredits } from './credit-queries.ts'
import { getFailureText } from './failure.ts'
import { LeavePaidPlan } from './LeavePaidPlan.tsx'
import { NoBilling } from './NoBilling.tsx'
import { PlanCard } from './PlanCard.tsx'
import { PlanPermissionHint } from './PlanPermissionHint.tsx'
import {
  buildChangePath,
  buildChoiceAddress,
  buildOrder,
  describeToday,
  findOffer,
  findPaidEnd,
  findPaidPlan,
  formatOnDay,
  isAtStripe,
  isCurrent,
  readChoice,
  readCycle,
} from './pricing-rules.ts'
import { useCreateFree } from './queries.ts'
import { buildSupportLink, listLimits } from './rules.ts'

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
    const requested = isTest ? { ...choice, extraStores: 0 } : choice
    return <CheckoutStep choice={requested} isTest={isTest} hasUsedTrial={hasUsedTrial} />
  }
  const advice = (
    <>
      {!mayPay && <PlanPermissionHint hasPlan={plan !== null} />}
      {isDemo && (
        <div className="pricing-note">
          <ReadOnly>{billingTexts.demo}</ReadOnly>
        </div>
      )}
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
  const isDemo = useMe()?.isDemo ?? false
  const { plan, sells } = subscription
  const offer = (key: PlanKey) =>
    mayChoose && !(plan === null && key === 'free') ? findOffer(subscription, key, cycle) : null
  return (
    <Stack gap="xl">
      <Heading
        cycle={cycle}
        onCycle={(next) => setSearch({ cycle: next }, { replace: true, preventScrollReset: true })}
      />
      {sells === 'test' && !isDemo && (
        <Notice tone="info">This server is in billing test mode: choosing a plan charges nothing.</Notice>
      )}
      {advice}
      <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="md" className="plans">
        {keys.map((key) => (
          <PlanCard
            key={key}
            planKey={key}
            isYearly={cycle === 'year'}
            isCurrent={isCurrent(subscription, key)}
            isReadOnly={isDemo}
            offer={offer(key)}
            isBusy={choosing.isBusy}
            onChoose={() => choosing.choose(key, cycle)}
          />
        ))}
      </SimpleGrid>
      <Text fz="xs" c="dimmed" maw={720} mx="auto" ta="center">
        {billingTexts.youngAccounts}
      </Text>
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
      <Text c="dimmed">Start free, change whenever you like. {billingTexts.pricedBy}</Text>
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
          Back to {productName}
        </Link>
      )}
      <Link to="/logout" className="header-link">
        Log out
      </Link>
    </>
  )
}

/** Add-ons beside the plan (A 9), or where to ask for them. */
function AddOns({ supportEmail, hasPlan }: { supportEmail: string | undefined; hasPlan: boolean }) {
  return (
    <section aria-labelledby="add-ons">
      <Title order={2} id="add-ons" mb="sm">
        Add-ons
      </Title>
      <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="md">
        <AddOn name="Extra store" price={`$${EXTRA_STORE_MONTHLY} per store per month`}>
          Connect more stores than a paid plan includes. Choose how many when you buy or change the plan.
        </AddOn>
        <Texts credits={useCredits().data} hasPlan={hasPlan} />
        <AddOn name="White-label" price="Custom pricing">
          Recoup under your own name.
          {supportEmail && (
            <>
              {' '}
              <Anchor underline="always" href={`mailto:${supportEmail}?subject=White-label`}>
                {billingTexts.whiteLabel}
              </Anchor>
            </>
          )}
        </AddOn>
      </SimpleGrid>
    </section>
  )
}

/** Only add-ons that the account's SMS setup supports are offered. */
const Texts = ({ credits, hasPlan }: { credits: Credits | undefined; hasPlan: boolean }) =>
  credits && isUsingCredits(credits) && credits.offer ? (
    <AddOn name="SMS/WhatsApp" price={`SMS credits from $${creditPacks[0]}`}>
      For SMS beyond your plan’s monthly amount, from about {formatCredits(cheapest(credits))} each. WhatsApp is billed
      by your provider.{' '}
      {hasPlan && (
        <Anchor component={Link} to="/billing#credits" underline="always">
          Credits under Billing
        </Anchor>
      )}
    </AddOn>
  ) : (
    <AddOn name="SMS/WhatsApp" price="Billed by your provider">
      Messages go through your own account at Twilio or Meta. Your plan sets how many you can send.
    </AddOn>
  )

const cheapest = ({ prices }: Credits) => Math.min(...prices.map(({ micros }) => micros))

const AddOn = ({ name, price, children }: { name: string; price: string; children: React.ReactNode }) => (
  <Card h="100%">
    <Title order={3}>{name}</Title>
    <Text fw={550}>{price}</Text>
    <Text fz="sm" c="dimmed" mt={4}>
      {children}
    </Text>
  </Card>
)

interface Props {
  choice: Choice
  isTest: boolean
  hasUsedTrial: boolean
}

/**
 * Order summary before paying at Stripe (A 2.6, decision 84). The address holds the choice, so going back restores it.
 */
function CheckoutStep({ choice, isTest, hasUsedTrial }: Props) {
  const heading = useRef<HTMLHeadingElement>(null)
  // Only the query string changed, so move the focus and announce the step.
  useEffect(() => heading.current?.focus(), [])
  return (
    <Stack gap="lg">
      <div>
        <Anchor component={Link} to={`/pricing?cycle=${choice.cycle}`} fz="sm">
          <IconArrowLeft size={14} aria-hidden /> All plans
        </Anchor>
        <Title order={1} fz={28} mt="xs" ref={heading} tabIndex={-1} className="purchase-title">
          {billingTexts.completePurchase}
        </Title>
      </div>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
        <ChosenPlan choice={choice} isTest={isTest} />
        <Order choice={choice} isTest={isTest} hasUsedTrial={hasUsedTrial} />
      </SimpleGrid>
    </Stack>
  )
}

function ChosenPlan({ choice, isTest }: { choice: Choice; isTest: boolean }) {
  const navigate = useNavigate()
  const { name, limits, features } = plans[choice.plan]
  const change = (changed: Partial<Choice>) =>
    navigate(buildChoiceAddress({ ...choice, ...changed }), { replace: true })
  return (
    <Card padding="xl">
      <Stack gap="md">
        <Title order={2}>{name}</Title>
        <Text c="dimmed">{listLimits(limits).join(' · ')}</Text>
        <List
          spacing={8}
          center
          icon={<IconCheck size={16} color="var(--rc-accent)" aria-hidden style={{ display: 'block' }} />}
        >
          {features.slice(0, 5).map((feature) => (
            <List.Item key={feature}>{feature}</List.Item>
          ))}
        </List>
        <SegmentedControl
          aria-label="Billing period"
          value={choice.cycle}
          onChange={(cycle) => change({ cycle: cycle as BillingCycle })}
          data={[
            { value: 'month', label: 'Monthly' },
            { value: 'year', label: `Yearly · ${billingTexts.save}` },
          ]}
        />
        {!isTest && (
          <NumberInput
            label="Extra stores"
            description={describeExtraStore(choice.cycle)}
            min={0}
            max={MAX_EXTRA_STORES}
            clampBehavior="strict"
            allowDecimal={false}
            allowNegative={false}
            value={choice.extraStores}
            onChange={(value) => change({ extraStores: Number(value) || 0 })}
            w={280}
            maw="100%"
          />
        )}
      </Stack>
    </Card>
  )
}

function Order({ choice, isTest, hasUsedTrial }: Props) {
  const { lines, total } = buildOrder(choice)
  const { dueNow, notes } = describeToday(total, choice.cycle, isTest ? 'test' : hasUsedTrial ? 'paid' : 'trial')
  const { isBusy, problem, go } = useCheckout()
  const navigate = useNavigate()
  const openTestPage = () => navigate(`/test-subscription?plan=${choice.plan}&cycle=${choice.cycle}`)
  return (
    <Card padding="xl">
      <Stack gap="md">
        <Title order={2}>Summary</Title>
        <dl className="order">
          {lines.map(({ label, amount }) => (
            <Line key={label} label={label} amount={amount} />
          ))}
          <Line label={choice.cycle === 'year' ? 'Total per year' : 'Total per month'} amount={total} isSum />
          <Line label="Due today" amount={dueNow} isSum />
        </dl>
        {notes.map((note) => (
          <Text key={note} fz="sm" c="dimmed">
            {note}
          </Text>
        ))}
        {problem && (
          <Notice tone="bad" isLive>
            {problem}
          </Notice>
        )}
        <Group>
          <Button size="md" loading={isBusy} onClick={isTest ? openTestPage : () => go(choice)}>
            {isTest ? 'Continue to the test page' : hasUsedTrial ? 'Continue to payment' : 'Start free trial'}
          </Button>
        </Group>
      </Stack>
    </Card>
  )
}

const Line = ({ label, amount, isSum }: { label: string; amount: number; isSum?: boolean }) => (
  <div data-sum={isSum}>
    <dt>{label}</dt>
    <dd>
      <Money amount={amount / 100} currency="USD" />
    </dd>
  </div>
)

/**
 * Creates the checkout and goes to it. `isBusy` from the press until the page is left or restored by the browser's
 * Back.
 */
function useCheckout() {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [isRedirecting, setRedirecting] = useState(false)
  const checkout = useOnce({
    mutationFn: async ({ plan, cycle, extraStores }: Choice) => {
      const { url } = await call(createCheckoutSession, { body: { planKey: plan, cycle, addOns: { extraStores } } })
      if (!url) throw new ApiError(502, { error: billingTexts.failed.createCheckout, code: 'unavailable' })
      return url
    },
    onSuccess: (url) => {
      if (url.startsWith('/')) return navigate(url)
      setRedirecting(true)
      location.assign(url)
    },
    // Bought in another tab: the subscription decides the next step.
    onError: (error) => isConflict(error) && queries.refetchQueries({ queryKey: subscriptionQuery.queryKey }),
  })
  useEffect(() => {
    const stay = (event: PageTransitionEvent) => {
      if (!event.persisted) return
      setRedirecting(false)
      void queries.refetchQueries({ queryKey: subscriptionQuery.queryKey })
    }
    addEventListener('pageshow', stay)
    return () => removeEventListener('pageshow', stay)
  }, [queries])
  const isBusy = checkout.isPending || isRedirecting
  // A 8: no address came back, the request was refused, or there was no answer.
  return {
    isBusy,
    problem: getFailureText(checkout.error, billingTexts.failed.processCheckout),
    go: (choice: Choice) => checkout.mutate(choice),
  }
}

const isConflict = (error: Error) => error instanceof ApiError && error.code === 'conflict'

/** The first step of a new account (decision 138): the free plan, before the paid ones. */
function ContinueWithLite({ isBusy, onChoose }: { isBusy: boolean; onChoose: () => void }) {
  const { name, limits } = plans.free
  return (
    <Card padding="lg">
      <Group justify="space-between" gap="md">
        <div style={{ flex: '1 1 300px' }}>
          <Title order={2}>Start free with {name}</Title>
          <Text c="dimmed" mt={4}>
            One store and {limits.maxEmailsPerMonth} emails per month, no card. Upgrade when you reach a limit.
          </Text>
        </div>
        <Button size="md" loading={isBusy} onClick={onChoose}>
          Continue with {name}
        </Button>
      </Group>
    </Card>
  )
}

const PricingFaq = () => (
  <section aria-labelledby="questions">
    <Title order={2} id="questions" mb="sm">
      Questions
    </Title>
    <div className="questions">
      {pricingQuestions.map(({ question, answer }) => (
        <div key={question}>
          <Title order={3}>{question}</Title>
          <Text c="dimmed" mt={4}>
            {answer}
          </Text>
        </div>
      ))}
    </div>
  </section>
)

/** Custom pricing and support. `supportLink` includes the current plan in the mail. */
const PricingContact = ({ supportEmail, supportLink }: { supportEmail: string; supportLink: string }) => (
  <Card component="section" aria-labelledby="contact" padding="lg">
    <Group justify="space-between" gap="md">
      <Stack gap={4} style={{ flex: '1 1 300px' }}>
        <Title order={2} id="contact">
          Need something else?
        </Title>
        <Text c="dimmed">
          For more stores or messages than a plan includes, ask for{' '}
          <Anchor underline="always" href={`mailto:${supportEmail}?subject=${encodeURIComponent('Custom pricing')}`}>
            custom pricing
          </Anchor>
          .
        </Text>
      </Stack>
      <Text>
        Support:{' '}
        <Anchor underline="always" href={supportLink}>
          {supportEmail}
        </Anchor>
      </Text>
    </Group>
  </Card>
)

// FAQ of Pricing. Every answer restates a billing rule (docs/rules/billing.md): change the rule first.

export const pricingQuestions = [
  {
    question: 'How does the free trial work?',
    answer: `A paid plan begins with ${TRIAL_DAYS} days free of charge, once per account, person and card. No credit card required. Add one before the trial ends to keep the plan; without one the account moves to Lite, and its data is kept.`,
  },
  {
    question: 'Can I get a refund?',
    answer: `A ${GUARANTEE_DAYS}-day money-back guarantee: contact support within ${GUARANTEE_DAYS} days of your first payment for a full refund.`,
  },
  {
    question: 'Can I change or cancel my plan?',
    answer:
      'Yes, at any time, under Billing. An upgrade starts immediately, and you see the price before you confirm. A downgrade or cancellation takes effect at the end of the period you have paid for.',
  },
  {
    question: 'What happens when I reach a limit?',
    answer: billingTexts.atLimit,
  },
  {
    question: 'What if a payment fails?',
    answer: `We notify you immediately and retry the card. Sending continues for ${GRACE_DAYS} days, then messages are held until you pay. Your data is kept.`,
  },
  {
    question: 'How much does yearly billing save?',
    answer: `20 percent of the plan’s price, rounded to whole dollars a month. An extra store costs the same: $${EXTRA_STORE_MONTHLY * 12} per year.`,
  },
] as const

type Choosing = ReturnType<typeof useChoosePlan>

/**
 * A paid plan leads to the checkout step. The free plan is chosen here, after a confirmation if a paid plan would end.
 */
function useChoosePlan(subscription: z.output<typeof subscriptionStatus.reply>) {
  const free = useCreateFree()
  const navigate = useNavigate()
  const [leaving, setLeaving] = useState<PlanKey | null>(null)
  const paid = findPaidPlan(subscription)
  const openStoreSetup = () => navigate('/store-setup')
  return {
    choose(key: PlanKey, cycle: BillingCycle = 'month') {
      if (key !== 'free') return navigate(buildChoiceAddress({ plan: key, cycle, extraStores: 0 }))
      if (!paid) return free.mutate(undefined, { onSettled: openStoreSetup }) // If this failed, the store set-up shows what is missing (A 4.3).
      free.reset()
      setLeaving(paid)
    },
    /** On failure an existing plan stays and the reason is shown. A paid plan continues; Billing shows it. */
    leave: () =>
      free.mutate(undefined, { onSuccess: isAtStripe(subscription) ? () => navigate('/billing') : openStoreSetup }),
    stay: () => setLeaving(null),
    leaving,
    isBusy: free.isPending,
    problem: free.error?.message,
  }
}
