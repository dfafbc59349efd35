import { Anchor, Button, Card, Grid, Group, List, Modal, Stack, Text, Title } from '@mantine/core'
import {
  IconArrowBackUp,
  IconCircleCheck,
  IconCircleMinus,
  IconCircleX,
  IconClock,
  IconExternalLink,
  IconMinus,
  IconReceipt,
  IconRefresh,
  IconZzz,
} from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Link, Navigate, useSearchParams } from 'react-router'
import type { z } from 'zod'
import type { PlanLimits } from '../../../shared/billing/billing.ts'
import { MAX_EXTRA_STORES, plans } from '../../../shared/billing/billing.ts'
import { billingTexts } from '../../../shared/billing/billing-texts.ts'
import { checkCredits } from '../../../shared/billing/credits.ts'
import type {
  ChangePreview,
  checkSession,
  Payment,
  PaymentStatus,
  SubscriptionDetail,
} from '../../../shared/billing/payments.ts'
import { subscriptionQuery, useConnection, useHasPermission, useMe } from '../../core/access/queries.ts'
import { ApiError, call } from '../../core/api/api.ts'
import { announce } from '../../core/ui/announce.ts'
import { Confirm } from '../../core/ui/Confirm.tsx'
import { DataList } from '../../core/ui/DataList.tsx'
import type { DataColumn } from '../../core/ui/DataTable.tsx'
import { Empty } from '../../core/ui/Empty.tsx'
import { Failed } from '../../core/ui/Failed.tsx'
import { formatCounted } from '../../core/ui/format.ts'
import { Loaded } from '../../core/ui/Loaded.tsx'
import { LoadingCards, LoadingList, LoadingRows } from '../../core/ui/Loading.tsx'
import { Notice } from '../../core/ui/Notice.tsx'
import { PageTitle } from '../../core/ui/PageTitle.tsx'
import { ReadOnly } from '../../core/ui/ReadOnly.tsx'
import { StatusBadge } from '../../core/ui/StatusBadge.tsx'
import { ChooseChange } from './ChooseChange.tsx'
import { ConfirmChange } from './ConfirmChange.tsx'
import { CreditsCard } from './CreditsCard.tsx'
import { type Choice, describeMissing, describeWakeOptions, parseChoice } from './change-copy.ts'
import { formatBalance } from './credit-copy.ts'
import { fillLimits, findActions, formatAmount, type SubscriptionActions } from './detail-copy.ts'
import { getFailureText } from './failure.ts'
import { Meters } from './Meters.tsx'
import { PageNumbers, usePageParam } from './PageNumbers.tsx'
import { PlanPermissionHint } from './PlanPermissionHint.tsx'
import {
  useChange,
  useCheckedSession,
  useChooseRestingStores,
  useDetail,
  useHistory,
  useOpenPortal,
  usePreview,
  useRestingStores,
} from './payment-queries.ts'
import { formatDate } from './plan-copy.ts'
import type { Overview } from './queries.ts'
import { useUsage } from './queries.ts'
import { RestingChoice } from './RestingChoice.tsx'
import { explainLine, listLimits } from './rules.ts'
import { StatusCard } from './StatusCard.tsx'
import { StepTitle } from './StepTitle.tsx'

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
  const permitted = isDemo ? { ...may, because: null } : may
  const isSold = subscription.sells !== 'none'
  return (
    <>
      {isDemo && <ReadOnly>{billingTexts.demo}</ReadOnly>}
      {!mayLead && isSold && <PlanPermissionHint hasPlan />}
      <RequestedChange detail={detail} actions={permitted} />
      <Grid gap="md">
        <Grid.Col span={{ base: 12, lg: 7 }}>
          <StatusCard detail={detail} subscription={subscription} actions={permitted} />
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
function RequestedChange({ detail, actions }: { detail: SubscriptionDetail; actions: SubscriptionActions }) {
  const [search] = useSearchParams()
  const requestedPlan = search.get('change')
  if (actions.change === 'here') return <ChangeDialog detail={detail} />
  if (requestedPlan === null) return null
  if (actions.change === null) {
    const first = actions.canReactivate ? ENDING : actions.canCancel ? OVERDUE : null
    return (
      first && (
        <Notice tone="info" isLive>
          {first}
        </Notice>
      )
    )
  }
  const { plan, cycle } = parseChoice({ plan: requestedPlan, cycle: search.get('cycle'), stores: null }, detail)
  return <Navigate replace to={`/pricing?plan=${plan}&cycle=${cycle}`} />
}

const ENDING = 'This subscription ends after the billing period. Reactivate it first, then change the plan.'
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
      A larger plan includes more stores and messages.
    </Text>
    <Button component={Link} to="/pricing" w="fit-content">
      {billingTexts.viewPlans}
    </Button>
  </Card>
)

/** Return from paying for credits. The result is shown once and disappears on reload. */
function CreditsReturn() {
  const id = useCheckoutSession('credits')
  const checked = useCheckedCredits(id)
  if (id === null) return null
  if (checked.error) return <Refused error={checked.error} onRetry={() => checked.refetch()} />
  const { data } = checked
  // One live region from the start, so screen readers announce the result.
  return (
    <div role="status">
      {!data && <Notice tone="info">Checking your payment...</Notice>}
      {data?.isPaid && (
        <Notice tone="good" title="Credits added">
          You have {formatBalance(data.balanceMicros)} in credits.
        </Notice>
      )}
      {data?.isPaid === false && (
        <Notice tone="info" title="Payment pending">
          Credits are added once it is paid.
        </Notice>
      )}
    </div>
  )
}

/**
 * Changes the plan of an account that pays by card (decision 85). State is in the address:
 * ?change=growth&cycle=year&stores=2.
 */
function ChangeDialog({ detail }: { detail: SubscriptionDetail }) {
  const [search, setSearch] = useSearchParams()
  const requestedPlan = search.get('change')
  const [opened, setOpened] = useState({ asked: null as string | null, turn: 0 })
  if (requestedPlan !== opened.asked) setOpened({ asked: requestedPlan, turn: opened.turn + (requestedPlan ? 1 : 0) })
  const close = () =>
    setSearch(
      (now) => {
        const next = new URLSearchParams(now)
        for (const key of ['change', 'cycle', 'stores']) next.delete(key)
        return next
      },
      { replace: true, preventScrollReset: true },
    )
  return (
    <Modal
      opened={requestedPlan !== null}
      onClose={close}
      title="Change plan"
      size="lg"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {requestedPlan !== null && (
        <Steps
          key={opened.turn}
          detail={detail}
          start={parseChoice({ plan: requestedPlan, cycle: search.get('cycle'), stores: search.get('stores') }, detail)}
          onClose={close}
        />
      )}
    </Modal>
  )
}

interface StepsProps {
  detail: SubscriptionDetail
  start: Choice
  onClose: () => void
}

/** Steps: choose, see the cost, confirm. */
function Steps({ detail, start, onClose }: StepsProps) {
  const [choice, setChoice] = useState(start)
  const it = usePlanChange(choice, (message) => {
    onClose()
    announce(message)
  })
  const problem = it.problem && (
    <ChangeProblem
      text={it.problem}
      isOther={it.isOther && it.offer !== null}
      isOfCard={it.isRefused && detail.canManage}
    />
  )
  if (it.bank) return <BankConfirmation {...it.bank} onClose={onClose} />
  if (!it.offer) {
    return (
      <ChooseChange
        detail={detail}
        choice={choice}
        most={MAX_EXTRA_STORES}
        isBusy={it.isLooking}
        problem={problem}
        onChoose={setChoice}
        onContinue={it.reload}
        onClose={onClose}
      />
    )
  }
  return (
    <ConfirmChange
      key={it.offer.token}
      choice={choice}
      preview={it.offer}
      isBusy={it.isChanging || it.isLooking}
      onConfirm={it.make}
      onBack={it.back}
    >
      {problem}
    </ConfirmChange>
  )
}

/** The payment needs the owner's confirmation at the bank (decision 85). */
function BankConfirmation({ url, message, onClose }: { url: string | null; message: string; onClose: () => void }) {
  return (
    <Stack gap="lg">
      <div>
        <StepTitle>Your bank asks for a confirmation</StepTitle>
        <Text>{message}</Text>
      </div>
      <Group justify="flex-end" gap="sm">
        <Button variant="default" onClick={onClose}>
          Close
        </Button>
        {url && (
          <Button
            component="a"
            href={url}
            target="_blank"
            rel="noreferrer"
            rightSection={<IconExternalLink size={16} aria-hidden />}
          >
            Confirm the payment
          </Button>
        )}
      </Group>
    </Stack>
  )
}

interface Props {
  text: string
  /** The amounts changed meanwhile; nothing failed. */
  isOther: boolean
  /** The cause may be the card, which is stored at Stripe. */
  isOfCard: boolean
}

/** Explains why a change failed, with a link to change the card. */
function ChangeProblem({ text, isOther, isOfCard }: Props) {
  const portal = useOpenPortal()
  const failed = getFailureText(portal.error, billingTexts.failed.openPortal)
  return (
    <Stack gap="sm">
      <Notice tone={isOther ? 'warn' : 'bad'} isLive>
        {text}
      </Notice>
      {isOfCard && (
        // The browser leaves the page once the address arrives.
        <Button
          variant="default"
          w="fit-content"
          loading={portal.isPending || portal.isSuccess}
          onClick={() => portal.mutate()}
        >
          {billingTexts.manage}
        </Button>
      )}
      {failed && (
        <Notice tone="bad" isLive>
          {failed}
        </Notice>
      )}
    </Stack>
  )
}

/** Return from the provider's checkout (A 4.3). The result is shown once and disappears on reload. */
function CheckoutReturn() {
  const id = useCheckoutSession('session_id')
  const checked = useCheckedSession(id)
  if (id === null) return null
  if (checked.error) return <Refused error={checked.error} onRetry={() => checked.refetch()} />
  // One live region from the start, so screen readers announce the result.
  return (
    <div role="status">{checked.data ? <Outcome {...checked.data} /> : <Notice tone="info">{WAITING}</Notice>}</div>
  )
}

const WAITING = 'Checking your checkout...'

function Outcome({ success, plan }: z.output<typeof checkSession.reply>) {
  if (!success) {
    return (
      <Notice tone="info" title="The checkout was not completed.">
        Nothing was charged, and your plan is unchanged.{' '}
        <Anchor component={Link} to="/pricing">
          {billingTexts.viewPlans}
        </Anchor>
      </Notice>
    )
  }
  return (
    <Notice tone="good" title="Your checkout is complete.">
      {plan ? `You are on the ${plans[plan].name} plan.` : 'Your plan is updated within a minute.'}
      {plan && <NextStep />}
    </Notice>
  )
}

/** Buyers without a store continue to the set-up. */
function NextStep() {
  const hasConnection = useConnection()?.data?.hasConnection
  if (hasConnection !== false) return null
  return (
    <>
      {' '}
      <Anchor component={Link} to="/store-setup">
        Connect your store
      </Anchor>
    </>
  )
}

/** The checkout could not be read or belongs to another account. */
function Refused({ error, onRetry }: { error: Error; onRetry: () => unknown }) {
  const text = getFailureText(error, billingTexts.failed.processCheckout)!
  const mayHeal = error instanceof ApiError && error.isOutage
  if (mayHeal) return <Failed title={text} error={error} onRetry={onRetry} />
  return (
    <Notice tone="bad" title="This checkout could not be loaded." isLive>
      {text}
    </Notice>
  )
}

/** Monthly usage against the plan's limits; only the limits if usage is unavailable. */
function LimitsAndUsage({ features }: { features: Partial<PlanLimits> }) {
  const usage = useUsage()
  return (
    <Card h="100%">
      <Title order={2} mb="md">
        Limits and usage
      </Title>
      {usage.data ? (
        <Meters usage={usage.data} />
      ) : usage.error ? (
        <Stack gap="md">
          <List fz="sm" spacing={6}>
            {listLimits(fillLimits(features)).map((line) => (
              <List.Item key={line}>{line}</List.Item>
            ))}
          </List>
          <Notice tone="bad" title="Usage could not be loaded." isLive>
            <Stack gap="sm" align="flex-start" mt={2}>
              <span>{usage.error.message}</span>
              <Button
                size="xs"
                variant="default"
                leftSection={<IconRefresh size={14} aria-hidden />}
                loading={usage.isFetching}
                onClick={() => usage.refetch()}
              >
                Retry
              </Button>
            </Stack>
          </Notice>
        </Stack>
      ) : (
        <LoadingList />
      )}
    </Card>
  )
}

const REGION = 'payment-history'

function PaymentHistory() {
  const { page, put } = usePageParam('payments')
  const isOpen = page !== null
  return (
    <div>
      <Button
        variant="default"
        aria-expanded={isOpen}
        {...(isOpen && { 'aria-controls': REGION })}
        onClick={() => put(isOpen ? null : 1)}
      >
        {isOpen ? billingTexts.hideHistory : billingTexts.viewHistory}
      </Button>
      {isOpen && (
        <Card id={REGION} mt="md" p={0} component="section" aria-label="Payment history">
          <Title order={2} p="md">
            Payment history
          </Title>
          <Payments page={page} onPage={put} />
        </Card>
      )}
    </div>
  )
}

function Payments({ page, onPage }: { page: number; onPage: (page: number, replace?: boolean) => void }) {
  const history = useHistory(page)
  const last = history.isPlaceholderData ? 0 : (history.data?.pagination.pages ?? 0)
  // The page number in the address does not exist any more.
  useEffect(() => {
    if (last > 0 && page > last) onPage(last, true)
  })
  return (
    <Loaded
      query={history}
      loading={<LoadingRows count={4} />}
      failed={billingTexts.failed.loadHistory}
      className="padded"
    >
      {({ payments, pagination }) =>
        pagination.total === 0 ? (
          <Empty icon={IconReceipt} text={billingTexts.none.history} />
        ) : (
          <>
            <DataList label="Payments" columns={columns} rows={payments} getKey={({ _id }) => _id} minWidth={640} />
            {pagination.pages > 1 && (
              <PageNumbers {...pagination} noun="payment" requestedPage={page} onPage={onPage} />
            )}
          </>
        )
      }
    </Loaded>
  )
}

const columns: readonly DataColumn<Payment>[] = [
  { id: 'date', label: 'Date', sort: null, cell: ({ createdAt }) => formatDate(createdAt) },
  { id: 'description', label: 'Description', sort: null, cell: ({ description }) => description },
  { id: 'status', label: 'Status', sort: null, cell: (payment) => <Status {...payment} /> },
  { id: 'amount', label: 'Amount', sort: null, isNumber: true, cell: (payment) => <Amount {...payment} /> },
  { id: 'invoice', label: 'Invoice', sort: null, cell: (payment) => <Invoice {...payment} /> },
]

const Status = ({ status, failureReason }: Payment) => (
  <>
    <StatusBadge {...paymentBadges[status]} />
    {failureReason && (
      <Text fz="sm" c="dimmed" mt={2}>
        {failureReason}
      </Text>
    )}
  </>
)

const Amount = ({ amount, currency, refundAmount }: Payment) => (
  <>
    <span className="tabular">{formatAmount(amount, currency)}</span>
    {refundAmount > 0 && (
      <Text fz="sm" c="dimmed">
        {formatAmount(refundAmount, currency)} refunded
      </Text>
    )}
  </>
)

function Invoice({ number, invoiceUrl, stripeInvoiceId }: Payment) {
  const name = number ?? stripeInvoiceId
  if (!invoiceUrl) return name
  return (
    <a href={invoiceUrl} target="_blank" rel="noreferrer" aria-label={`Invoice ${name}, in a new window`}>
      {name} <IconExternalLink size={14} aria-hidden style={{ verticalAlign: -2 }} />
    </a>
  )
}

/** Label and color of each payment status (A 4.3). */
const paymentBadges = {
  succeeded: { tone: 'good', icon: IconCircleCheck, label: 'Succeeded' },
  pending: { tone: 'warn', icon: IconClock, label: 'Pending' },
  failed: { tone: 'bad', icon: IconCircleX, label: 'Failed' },
  canceled: { tone: 'quiet', icon: IconCircleMinus, label: 'Canceled' },
  refunded: { tone: 'info', icon: IconArrowBackUp, label: 'Refunded' },
} as const satisfies Record<PaymentStatus, object>

type Flags = Pick<
  SubscriptionDetail['features'],
  'advancedAnalytics' | 'prioritySupport' | 'customBranding' | 'apiAccess'
>

/** In display order (decision 88). */
const flags: readonly { key: keyof Flags; name: string; text: string; isUnavailable?: true }[] = [
  { key: 'advancedAnalytics', name: 'Advanced Analytics', text: explainLine('Advanced Analytics')! },
  { key: 'prioritySupport', name: 'Priority Support', text: explainLine('Priority Support')! },
  { key: 'customBranding', name: 'Custom Branding', text: 'Your logo and colors, and links under your own domain' },
  { key: 'apiAccess', name: 'API Access', text: 'API keys for your own programs', isUnavailable: true },
]

const PremiumFeatures = ({ features }: { features: Flags }) => (
  <Card>
    <Title order={2} mb="md">
      Premium features
    </Title>
    <ul className="premium">
      {flags.map(({ key, name, text, isUnavailable }) => (
        <li key={key}>
          <Group gap="xs" justify="space-between" wrap="nowrap" align="flex-start">
            <div>
              <Text fw={550}>{name}</Text>
              <Text fz="sm" c="dimmed">
                {text}
              </Text>
            </div>
            <StatusBadge {...findMark(features[key], isUnavailable)} />
          </Group>
        </li>
      ))}
    </ul>
  </Card>
)

function findMark(has: boolean, isUnavailable = false) {
  if (has) return { tone: 'good', icon: IconCircleCheck, label: 'Included' } as const
  if (isUnavailable) return { tone: 'quiet', icon: IconMinus, label: 'Not available' } as const
  return { tone: 'quiet', icon: IconMinus, label: 'Not in this plan' } as const
}

/** Reads the checkout session from the address and removes it there at once. */
function useCheckoutSession(name: 'session_id' | 'credits'): string | null {
  const [search, setSearch] = useSearchParams()
  const named = search.get(name)
  const [id, setId] = useState(named)
  if (named !== null && named !== id) setId(named)
  useEffect(() => {
    if (named === null) return
    setSearch(
      (now) => {
        const next = new URLSearchParams(now)
        next.delete(name)
        return next
      },
      { replace: true },
    )
  }, [name, named, setSearch])
  return id
}

const PREVIEW_FAILED = 'The price could not be loaded. Please try again.'
const NOT_CHANGED = 'The plan could not be changed. Please try again.'

const isRefusal = (error: Error | null) =>
  error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 429

/**
 * State of one plan change, from preview to result. If the server refuses because the amount changed, loads the preview
 * again.
 */
function usePlanChange(choice: Choice, onDone: (message: string) => void) {
  const preview = usePreview()
  const change = useChange()
  const [offer, setOffer] = useState<ChangePreview | null>(null)
  const [other, setOther] = useState<string | null>(null)
  /** Keeps the last preview until the next one arrives. */
  const show = () => preview.mutate(choice, { onSuccess: setOffer, onError: () => setOffer(null) })
  const reload = () => {
    setOther(null)
    change.reset()
    show()
  }
  const make = (restingStoreIds: string[]) => {
    if (!offer) return
    setOther(null)
    change.mutate(
      { token: offer.token, restingStoreIds },
      {
        onSuccess: ({ state, message }) => state !== 'confirm' && onDone(message),
        onError: (error) => {
          if (!(error instanceof ApiError) || error.status !== 409) return
          setOther(error.message)
          change.reset()
          show()
        },
      },
    )
  }
  const back = () => {
    setOther(null)
    setOffer(null)
    preview.reset()
    change.reset()
  }
  const { data: result } = change
  return {
    offer,
    bank: result?.state === 'confirm' ? { url: result.url, message: result.message } : null,
    problem: getFailureText(preview.error, PREVIEW_FAILED) ?? other ?? getFailureText(change.error, NOT_CHANGED),
    /** The shown amounts are outdated. */
    isOther: other !== null,
    /** The server's reason, for problems the owner can fix. */
    isRefused: [preview.error, change.error].some(isRefusal),
    isLooking: preview.isPending,
    isChanging: change.isPending,
    reload,
    make,
    back,
  }
}

/** Stores that send nothing because they exceed the plan's limit (decision 85). Renders nothing if all fit. */
function RestingStores({ subscription }: { subscription: Overview['subscription'] }) {
  const stores = useRestingStores().data?.stores ?? []
  const [isAsking, setAsking] = useState(false)
  const isDemo = useMe()?.isDemo ?? false
  const mayChoose = useHasPermission('billing:write') && !isDemo
  const resting = stores.filter(({ isResting }) => isResting)
  if (resting.length === 0) return null
  const awake = stores.length - resting.length
  return (
    <Card component="section" aria-label="Inactive stores">
      <Title order={2} mb="sm">
        {' '}
        Inactive stores{' '}
      </Title>
      <Text>
        Your plan includes {formatCounted(awake, 'store')}, and {stores.length} are connected. An inactive store tracks
        carts and syncs, but sends nothing.
      </Text>
      <List mt="sm" spacing={6} icon={<IconZzz size={16} aria-hidden style={{ display: 'block' }} />} center>
        {resting.map(({ id, name, url }) => (
          <List.Item key={id}>
            {name}{' '}
            <Text span fz="sm" c="dimmed">
              {url.replace(/^https?:\/\//, '')}
            </Text>
          </List.Item>
        ))}
      </List>
      <Text mt="sm">{describeWakeOptions(subscription)}</Text>
      {mayChoose && (
        <Button variant="default" mt="md" w="fit-content" onClick={() => setAsking(true)}>
          Choose inactive stores
        </Button>
      )}
      {mayChoose && (
        <Chooser opened={isAsking} stores={stores} needed={resting.length} onClose={() => setAsking(false)} />
      )}
    </Card>
  )
}

interface ChooserProps {
  opened: boolean
  stores: NonNullable<ReturnType<typeof useRestingStores>['data']>['stores']
  needed: number
  onClose: () => void
}

function Chooser({ opened, stores, needed, onClose }: ChooserProps) {
  const rest = useChooseRestingStores()
  const now = stores.filter(({ isResting }) => isResting).map(({ id }) => id)
  const [chosen, setChosen] = useState<string[] | null>(null)
  const selection = chosen ?? now
  const close = () => {
    setChosen(null)
    rest.reset()
    onClose()
  }
  return (
    <Confirm
      opened={opened}
      title="Choose inactive stores"
      confirmLabel="Save"
      isBusy={rest.isPending}
      isDisabled={describeMissing(needed, selection.length) !== null}
      problem={getFailureText(rest.error, 'Your choice could not be saved. Please try again.')}
      onConfirm={() =>
        rest.mutate(selection, {
          onSuccess: () => {
            close()
            announce('Inactive stores saved')
          },
        })
      }
      onClose={close}
    >
      <RestingChoice
        label={`${formatCounted(needed, 'store')} of ${stores.length} ${needed === 1 ? 'has' : 'have'} to be inactive`}
        needed={needed}
        stores={stores}
        chosen={selection}
        onChoose={setChosen}
      />
    </Confirm>
  )
}

/** Asks once per checkout session, then refetches everything the purchase changes. */
function useCheckedCredits(id: string | null) {
  const queries = useQueryClient()
  return useQuery({
    queryKey: ['credit-checkout', id],
    queryFn: async ({ signal }) => {
      const answer = await call(checkCredits, { query: { session_id: id ?? '' }, signal })
      await queries.invalidateQueries({ queryKey: ['billing'] })
      return answer
    },
    enabled: id !== null,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    retry: false,
  })
}
