import './dashboard.css'
import { Anchor, Button, Card, Group, RingProgress, Skeleton, Text, Title } from '@mantine/core'
import { IconCircle, IconCircleCheckFilled, IconCreditCard, IconPlugConnectedX } from '@tabler/icons-react'
import { lazy, Suspense, useState } from 'react'
import { Link } from 'react-router'
import type { StoreView } from '../../../shared/access/stores.ts'
import { WITHOUT_SCRIPT_TEXT } from '../../../shared/carts/capture-status.ts'
import { type CartView, cartTexts } from '../../../shared/carts/carts.ts'
import type { MailServerView } from '../../../shared/delivery/mail-server.ts'
import type { ChartMeasure, ChartPeriod } from '../../../shared/insights/dashboard.ts'
import { campaignTexts } from '../../../shared/marketing/campaigns.ts'
import type { FlowView } from '../../../shared/marketing/flows.ts'
import { useHasFeature, useHasPermission, useMe, useStore, useSubscription } from '../../core/access/queries.ts'
import { useScope } from '../../core/access/scope.ts'
import { getErrorText } from '../../core/api/api.ts'
import { loadUser } from '../../core/session/session.ts'
import { Empty } from '../../core/ui/Empty.tsx'
import { Failed } from '../../core/ui/Failed.tsx'
import { formatCount, formatCounted } from '../../core/ui/format.ts'
import { Loaded } from '../../core/ui/Loaded.tsx'
import { LoadingList } from '../../core/ui/Loading.tsx'
import { Money } from '../../core/ui/Money.tsx'
import { Notice } from '../../core/ui/Notice.tsx'
import { PageTitle } from '../../core/ui/PageTitle.tsx'
import { TimeAgo } from '../../core/ui/Time.tsx'
import { AllStoresBar, AllStoresLocked } from '../../features/analytics/AllStoresBar.tsx'
import { StatusMark } from '../../features/campaigns/parts.tsx'
import { useCampaigns } from '../../features/campaigns/queries.ts'
import { useMailServer } from '../../features/stores/mail-server-queries.ts'
import { useStoreHealth } from '../../features/stores/queries.ts'
import { RecentState } from '../../kits/carts/badges.tsx'
import { countItems } from '../../kits/carts/rules.ts'
import { useFlows } from '../../kits/flows/queries.ts'
import { useReach } from '../../kits/manual-sends/send-queries.ts'
import { DemoHistoryGate } from '../../kits/page/DemoHistory.tsx'
import { OverviewCard } from './OverviewCard.tsx'
import { useChart, usePath, useRecentCarts, useRecoveredByDay, useStats } from './queries.ts'
import { describeOrderReports, findFailure, isNewStore } from './rules.ts'
import { StatCards } from './StatCards.tsx'
import { WonBack } from './WonBack.tsx'

const ActiveNow = lazy(async () => ({ default: (await import('../../features/active/on-dashboard.ts')).ActiveNow }))
const OrdersMissing = lazy(async () => ({
  default: (await import('../../features/analytics/OrdersMissing.tsx')).OrdersMissing,
}))
const LiftResultCard = lazy(async () => ({
  default: (await import('../../features/lift/LiftCard.tsx')).LiftResultCard,
}))
const DemoGuide = lazy(async () => ({ default: (await import('../../features/active/on-dashboard.ts')).DemoGuide }))

/** A 4.1: the dashboard asks for the subscription itself. */
export function DashboardPage() {
  const subscription = useSubscription()
  // Once the server has answered, its answer wins, even if the plan has ended. A remembered one counts only until then.
  const isSubscribed = (subscription ?? loadUser())?.hasActiveSubscription
  return (
    <>
      <PageTitle title="Dashboard" />
      {isSubscribed ? <Scoped /> : <SubscriptionRequired />}
    </>
  )
}

function SubscriptionRequired() {
  return (
    <Empty
      icon={IconCreditCard}
      title="Subscription Required"
      text="Every plan includes the dashboard, even the free one."
    >
      <Button component={Link} to="/pricing">
        Choose a Plan
      </Button>
    </Empty>
  )
}

function Scoped() {
  const { isAll, key } = useScope()
  const hasAll = useHasFeature('multi_store_dashboard')
  if (!isAll) return <Dashboard />
  // A currency change remounts the screen: figures of the previous currency never appear under the new name.
  return hasAll === false ? <AllStoresLocked /> : <AllStores key={key} />
}

function Dashboard() {
  const isDemo = useMe()?.isDemo
  const isLimited = useStore()?.rights?.hasAllOrders === false
  const stats = useStats()
  const recent = useRecentCarts()
  const [period, setPeriod] = useState<ChartPeriod>('week')
  const reach = useReach({ days: 30 })
  const [measure, setMeasure] = useState<ChartMeasure>('carts')
  const chart = useChart(period, measure)
  const days = useRecoveredByDay()
  const path = usePath()
  const failure = findFailure(stats.error, [chart.error, recent.error])
  if (failure?.placement === 'page') return <StoreFailed text={failure.text} />
  const retry = () => Promise.all([stats, chart, recent].map((query) => query.refetch()))
  const isEmpty = stats.data && recent.data && isNewStore(stats.data, recent.data.pagination.total)
  // Show "None" only once the figures are loaded too. A new store has its own layout.
  const isWaiting = recent.isPending || (stats.isPending && recent.data?.carts.length === 0)
  return (
    <div className="dashboard">
      <Suspense>{isDemo && <DemoGuide />}</Suspense>
      {failure && <DashboardWarning text={failure.text} onRetry={retry} />}
      <ReportsNotice />
      {isEmpty ? (
        <>
          <DemoHistoryGate>
            <FirstSteps />
          </DemoHistoryGate>
          <CartsBeingFilled />
        </>
      ) : (
        <>
          {stats.data && recent.data && <OpenSetup />}
          <WonBack
            stats={stats.data}
            isPending={stats.isPending}
            days={days.data}
            reach={reach.data}
            path={path.data}
          />
          <StatCards stats={stats.data} isPending={stats.isPending} reach={reach.data} />
          <CartsBeingFilled />
          <div className="dashboard-parts">
            <OverviewCard chart={chart} period={period} onPeriod={setPeriod} measure={measure} onMeasure={setMeasure} />
            <div className="dashboard-side">
              <RecentCarts carts={recent.data?.carts} isPending={isWaiting} onRetry={recent.refetch} />
              <ActiveCampaigns />
            </div>
          </div>
          <Suspense>
            <LiftResultCard />
          </Suspense>
          <Suspense>{isLimited && <OrdersMissing />}</Suspense>
        </>
      )}
    </div>
  )
}

/** Only for a shop that is not read: which report of its plugin is awaited. */
function ReportsNotice() {
  const health = useStoreHealth()
  const text = health.data && describeOrderReports(health.data)
  return text ? <Notice tone="warn">{text}</Notice> : null
}

/** Reserves the height of the empty state until loaded. */
const CartsBeingFilled = () => (
  <Suspense fallback={<Card className="active-waiting" />}>
    <ActiveNow />
  </Suspense>
)

/** A 2.3: the newest 10, each linked to its editor. */
const FIRST_CAMPAIGNS = { page: 1, limit: 10 } as const

function ActiveCampaigns() {
  const campaigns = useCampaigns(FIRST_CAMPAIGNS)
  return (
    <Card padding={0} component="section" aria-label="Active Campaigns" className="recent">
      <Group justify="space-between" px="lg" pt="md" pb="xs" gap="sm">
        <Title order={2}>Active Campaigns</Title>
        <Anchor component={Link} to="/campaigns" fz="sm" aria-label="View all campaigns">
          View all
        </Anchor>
      </Group>
      <Loaded
        query={campaigns}
        loading={
          <div className="recent-inside">
            <LoadingList count={2} />
          </div>
        }
        failed={campaignTexts.notLoaded}
        getErrorText={(error) => getErrorText(error, campaignTexts.notFetched)}
        className="recent-inside"
      >
        {({ campaigns: rows }) =>
          rows.length === 0 ? (
            <Text className="recent-inside" fz="sm" c="dimmed">
              {campaignTexts.none}
            </Text>
          ) : (
            <ul className="list-cards">
              {rows.map(({ id, name, status, counts, createdAt }) => (
                <li key={id}>
                  <Link to={`/campaigns/${id}`} className="list-card recent-cart">
                    <span className="recent-name">{name}</span>
                    <span className="recent-status">
                      <StatusMark status={status} />
                    </span>
                    <span className="recent-more">
                      Created <TimeAgo at={createdAt} />
                    </span>
                    <span className="recent-value">{formatCount(counts.sent)} sent</span>
                  </Link>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Card>
  )
}

/**
 * Dashboard over all stores of one currency, with the figures that can be added (decision 154). Carts and campaigns
 * stay per store.
 */
function AllStores() {
  const stats = useStats()
  const [period, setPeriod] = useState<ChartPeriod>('week')
  const [measure, setMeasure] = useState<ChartMeasure>('carts')
  const chart = useChart(period, measure)
  const days = useRecoveredByDay()
  const failure = findFailure(stats.error, [chart.error])
  if (failure?.placement === 'page') return <StoreFailed text={failure.text} />
  const failing = (stats.data?.stores ?? []).flatMap(({ name, isFailing }) => (isFailing ? [name] : []))
  return (
    <div className="dashboard">
      {failure && (
        <DashboardWarning text={failure.text} onRetry={() => Promise.all([stats.refetch(), chart.refetch()])} />
      )}
      <AllStoresBar />
      {failing.length > 0 && (
        <Notice tone="warn" isLive>
          The last sync failed, so figures may be old: {failing.join(', ')}.
        </Notice>
      )}
      <WonBack stats={stats.data} isPending={stats.isPending} days={days.data} />
      <StatCards stats={stats.data} isPending={stats.isPending} reach={undefined} />
      <OverviewCard chart={chart} period={period} onPeriod={setPeriod} measure={measure} onMeasure={setMeasure} />
    </div>
  )
}

/** Shown instead of zeros: the steps until the first recovered cart. */
function FirstSteps() {
  const store = useStore()
  const health = useStoreHealth()
  const flows = useFlows()
  const mail = useMailServer()
  if (!store || health.isPending || flows.isPending || mail.isPending) {
    return (
      <Card>
        <LoadingList count={6} />
      </Card>
    )
  }
  const steps = buildFirstSteps({ store, health: health.data, flows: flows.data?.flows, mail: mail.data })
  return <Steps steps={steps} more="Your figures appear here after the first abandoned cart." />
}

/** Shown above the figures of a store with carts but an unfinished set-up, to members who may finish it. */
function OpenSetup() {
  const store = useStore()
  const health = useStoreHealth()
  const flows = useFlows()
  const mail = useMailServer()
  const maySetUp = useHasPermission('flows:switch')
  const known = store && { store, flows: flows.data?.flows, mail: mail.data }
  if (!known || !maySetUp || health.isPending || !isSetupOpen(known)) return null
  return <Steps steps={buildFirstSteps({ ...known, health: health.data, hasCarts: true })} />
}

function Steps({ steps, more }: { steps: FirstStep[]; more?: string }) {
  const done = steps.filter(({ isDone }) => isDone)
  const open = steps.filter(({ isDone }) => !isDone)
  return (
    <Card className="first-steps">
      <div className="steps-head">
        <RingProgress
          size={44}
          thickness={5}
          roundCaps
          rootColor="var(--rc-quiet-soft)"
          sections={[{ value: (done.length / steps.length) * 100, color: 'var(--rc-good)' }]}
          aria-hidden
        />
        <div>
          <Title order={2}>Get ready to win carts back</Title>
          <Text fz="sm" c="dimmed">
            {done.length} of {steps.length} steps done. {more}
          </Text>
        </div>
      </div>
      {done.length > 0 && (
        <details className="steps-done">
          <summary>Done: {done.map(({ title }) => title).join(' · ')}</summary>
          <ol className="steps">
            {done.map((step) => (
              <Step key={step.title} step={step} isNext={false} />
            ))}
          </ol>
        </details>
      )}
      <ol className="steps">
        {open.map((step) => (
          <Step key={step.title} step={step} isNext={step === open[0]} />
        ))}
      </ol>
    </Card>
  )
}

function Step({ step, isNext }: { step: FirstStep; isNext: boolean }) {
  const Sign = step.isDone ? IconCircleCheckFilled : IconCircle
  return (
    <li className="step" data-done={step.isDone}>
      <Sign size={20} aria-hidden />
      <div className="step-words">
        <Text fw={600}>
          {step.title}
          <span className="visually-hidden">{step.isDone ? ' (done)' : ' (to do)'}</span>
        </Text>
        <Text fz="sm" c="dimmed">
          {step.text}
        </Text>
      </div>
      {step.link && !step.isDone && (
        <Button component={Link} to={step.link.to} size="xs" variant={isNext ? 'filled' : 'default'}>
          {step.link.label}
        </Button>
      )}
    </li>
  )
}

// The set-up steps between a new account and its first recovered cart. Pure.

interface FirstStep {
  title: string
  text: string
  isDone: boolean
  link?: { label: string; to: string }
}

interface SetupFacts {
  store: Pick<
    StoreView,
    'name' | 'store_url' | 'mode' | 'senderName' | 'senderEmail' | 'postalAddress' | 'isCaptureChosen'
  >
  /** undefined: failed to load. */
  health:
    | Pick<NonNullable<ReturnType<typeof useStoreHealth>['data']>, 'ageSeconds' | 'isReported' | 'streams'>
    | undefined
  flows: Pick<FlowView, 'isOn'>[] | undefined
  mail: Pick<MailServerView, 'way' | 'acceptedAt' | 'isFixed'> | undefined
  /** Whether a cart exists, for instance from an old order. */
  hasCarts?: boolean
}

const REPORTS: Readonly<Record<StoreView['mode'], string>> = {
  plugin: 'The plugin reports carts.',
  capture: 'Cart tracking works.',
  limited: `${WITHOUT_SCRIPT_TEXT}.`,
}

/**
 * Whether to show the steps above the figures. They stay until the flow is on, the shop reports carts, a mail server
 * accepted a test mail and storage before consent was chosen, however many carts exist. What failed to load does not
 * count as missing. The demo needs no set-up.
 */
export function isSetupOpen({ store, flows, mail }: Pick<SetupFacts, 'store' | 'flows' | 'mail'>): boolean {
  if (!flows || !mail || mail.isFixed) return false
  return (
    !flows.some((flow) => flow.isOn) || store.mode === 'limited' || mail.acceptedAt === null || !store.isCaptureChosen
  )
}

export function buildFirstSteps({ store, health, flows, mail, hasCarts = false }: SetupFacts): FirstStep[] {
  const isRead = health !== undefined && health.ageSeconds !== null
  const hasCapture = store.mode !== 'limited'
  const hasSender = store.senderName !== '' && store.postalAddress !== ''
  const isOn = flows?.some((flow) => flow.isOn) ?? false
  return [
    { title: 'Connect your store', text: `${store.name || store.store_url} is connected.`, isDone: true },
    {
      title: health?.isReported === undefined ? 'Import orders and products' : 'Receive orders from the plugin',
      text: describeImport(isRead, health),
      isDone: isRead,
    },
    {
      title: 'Install cart tracking',
      text: REPORTS[store.mode],
      isDone: hasCapture,
      link: { label: 'Install the tracking script', to: '/settings/capture-script' },
    },
    ...(store.isCaptureChosen ? [] : [CHOOSE_CAPTURE]),
    {
      title: 'Add your sender details',
      text: hasSender ? `Messages come from ${store.senderName}.` : 'Messages need a sender name and postal address.',
      isDone: hasSender,
      link: { label: 'Set the sender', to: '/settings/sending/sender' },
    },
    ...(mail?.isFixed ? [] : [buildMailStep(mail)]),
    {
      title: 'Switch the recovery flow on',
      text: isOn
        ? 'It messages shoppers who abandon a cart, and stops when they buy.'
        : 'Three emails are ready. Read the preview, then switch the flow on.',
      isDone: isOn,
      link: { label: 'Open flows', to: '/flows' },
    },
    {
      title: 'Wait for the first cart',
      text: hasCarts
        ? 'The first cart has arrived.'
        : 'Or try it: fill a cart in your shop, enter your own email at checkout, and leave.',
      isDone: hasCarts,
      link: { label: 'Try a test cart', to: '/dashboard?try=cart' },
    },
  ]
}

/** `isReported`: whether the plugin reports the orders of a shop that Recoup cannot reach. */
function describeImport(isRead: boolean, health: SetupFacts['health']): string {
  if (health?.isReported !== undefined) {
    if (!isRead) return 'Recoup cannot reach your shop and waits for the plugin’s first report of orders.'
    return health.isReported
      ? 'Recoup cannot reach your shop. The plugin reports its orders; Recoup reads nothing else until the shop answers.'
      : 'Recoup cannot reach your shop, and the plugin’s reports are incomplete. See the connection doctor under Settings, Store.'
  }
  if (isRead) return 'Imported. Orders are checked before each message.'
  const problem = health?.streams.import?.problem ?? health?.streams.sweep?.problem
  return problem
    ? `The first import failed. Recoup tries again every few minutes. ${problem}`
    : 'The first import is running. It can take a few minutes.'
}

/** For stores older than the setting; newer ones start with the default of their countries. */
const CHOOSE_CAPTURE: FirstStep = {
  title: 'Choose what is stored before consent',
  text: 'Until you choose, what shoppers type at checkout is stored before they agree.',
  isDone: false,
  link: { label: 'Choose', to: '/settings/consent#capture' },
}

/** Only a mail accepted by a mail server counts: the built-in mailbox delivers to no shopper. */
function buildMailStep(mail: SetupFacts['mail']): FirstStep {
  const title = 'Send yourself a test email'
  const hasServer = mail?.way === 'own' || mail?.way === 'server'
  const label = hasServer ? 'Send a test email' : 'Set up a mail server'
  const link = { label, to: '/settings/sending/mail-server' }
  if (mail?.acceptedAt) return { title, text: 'Your mail server sent it.', isDone: true, link }
  const text = hasServer
    ? 'It shows that your mail server works.'
    : 'Until a mail server is set up, no email reaches your shoppers.'
  return { title, text, isDone: false, link }
}

interface Props {
  carts: CartView[] | undefined
  isPending: boolean
  onRetry: () => unknown
}

function RecentCarts(props: Props) {
  return (
    <Card padding={0} className="recent">
      <Group justify="space-between" px="lg" pt="md" pb="xs" gap="sm">
        <Title order={2}>Recent Abandoned Carts</Title>
        <Anchor component={Link} to="/carts" fz="sm" aria-label="View all abandoned carts">
          View all
        </Anchor>
      </Group>
      <Carts {...props} />
    </Card>
  )
}

function Carts({ carts, isPending, onRetry }: Props) {
  if (isPending) {
    return (
      <div className="list-cards" role="status" aria-label="Loading">
        {[1, 2, 3, 4].map((place) => (
          <WaitingCart key={place} />
        ))}
      </div>
    )
  }
  if (!carts) {
    return (
      <div className="recent-inside">
        <Failed title="The carts could not be loaded" error={new Error(cartTexts.loadFailed)} onRetry={onRetry} />
      </div>
    )
  }
  if (carts.length === 0)
    return (
      <Text className="recent-inside" fz="sm" c="dimmed">
        {cartTexts.none}
      </Text>
    )
  return (
    <ul className="list-cards">
      {carts.map((cart) => (
        <li key={cart.id}>
          <RecentCart cart={cart} />
        </li>
      ))}
    </ul>
  )
}

function RecentCart({ cart }: { cart: CartView }) {
  return (
    <Link to={`/carts/${cart.id}`} className="list-card recent-cart">
      <span className="recent-name">{cart.customer_name}</span>
      <span className="recent-status">
        <RecentState state={cart.state} />
      </span>
      <span className="recent-more">
        {formatCounted(countItems(cart.items), 'item')} · <TimeAgo at={cart.abandoned_at ?? cart.last_activity} />
      </span>
      <span className="recent-value">
        <Money amount={cart.total} currency={cart.currency} />
      </span>
    </Link>
  )
}

/** Reserves the height of a cart. */
const WaitingCart = () => (
  <span className="list-card recent-cart recent-waiting">
    <Skeleton h={12} w="60%" />
    <Skeleton h={12} w={56} />
    <Skeleton h={10} w="75%" />
    <Skeleton h={20} w={88} radius="xl" />
  </span>
)

/** The store cannot be read. Figures would be outdated, so none are shown (A 8). */
function StoreFailed({ text }: { text: string }) {
  return (
    <div role="alert">
      <Empty icon={IconPlugConnectedX} title="The dashboard cannot be shown" text={text}>
        <div className="dashboard-ways">
          <Button onClick={() => window.location.reload()}>Try Again</Button>
          <Button component={Link} to="/settings" variant="default">
            Open settings
          </Button>
        </div>
      </Empty>
    </div>
  )
}

function DashboardWarning({ text, onRetry }: { text: string; onRetry: () => unknown }) {
  return (
    <Notice tone="warn" title="Dashboard Warning" isLive>
      <div className="dashboard-ways">
        <span>{text}</span>
        <Button size="compact-sm" variant="default" onClick={() => void onRetry()}>
          Retry
        </Button>
      </div>
    </Notice>
  )
}
