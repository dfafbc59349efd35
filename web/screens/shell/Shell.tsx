import { Burger, Button, Drawer } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import {
  IconAlertTriangle,
  IconBan,
  IconChevronLeft,
  IconClock,
  IconInbox,
  IconMail,
  IconMailOff,
  IconPlayerPause,
  IconZzz,
} from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react'
import { Link, Outlet, useLocation } from 'react-router'
import {
  connectionQuery,
  instanceQuery,
  meQuery,
  subscriptionQuery,
  useHasPermission,
  useInstance,
  useMe,
  useStore,
  useSubscription,
} from '../../core/access/queries.ts'
import { useScope } from '../../core/access/scope.ts'
import { useIsReachable } from '../../core/api/api.ts'
import { announce } from '../../core/ui/announce.ts'
import { Confirm } from '../../core/ui/Confirm.tsx'
import { LogoMark } from '../../core/ui/Logo.tsx'
import type { Tone } from '../../core/ui/Notice.tsx'
import { FrameHeading } from '../../core/ui/PageTitle.tsx'
import { findConcerns } from '../../features/billing/concerns.ts'
import { SubscriptionButton } from '../../features/billing/SubscriptionButton.tsx'
import { useLive } from '../../features/live/useLive.ts'
import { Bell } from '../../features/notifications/Bell.tsx'
import { useMailServer } from '../../features/stores/mail-server-queries.ts'
import { useStoreHealth } from '../../features/stores/queries.ts'
import { AccountLinks } from './AccountLinks.tsx'
import { AccountMark } from './AccountMark.tsx'
import { useConfirmLive, useResendVerification, useSendingPause } from './queries.ts'
import { Sidebar } from './Sidebar.tsx'
import { StoreMark } from './StoreMark.tsx'
import type { sections } from './sections.ts'
import { findSection } from './sections.ts'

export function Shell() {
  const [isOpen, menu] = useDisclosure(false)
  const { pathname } = useLocation()
  const section = findSection(pathname)
  const isComplete = useIsFrameReady()
  useLive()
  // biome-ignore lint/correctness/useExhaustiveDependencies: a phone's menu closes when it has led somewhere
  useEffect(() => menu.close(), [pathname])
  return (
    <div className="shell" data-complete={isComplete}>
      <a href="#content" className="skip-link">
        Skip to content
      </a>
      <aside className="shell-side">
        <Sidebar />
      </aside>
      <div className="shell-page">
        <header className="shell-header">
          <Header section={section} isMenuOpen={isOpen} onMenu={menu.open} />
        </header>
        <Banners />
        <main id="content" tabIndex={-1} className="shell-main">
          <FrameHeading value={section.title}>
            <Outlet />
          </FrameHeading>
        </main>
      </div>
      <Drawer
        opened={isOpen}
        onClose={menu.close}
        size={280}
        title="Menu"
        classNames={{ content: 'side-drawer', header: 'side-drawer', body: 'side-drawer-body' }}
        attributes={{ header: { role: 'presentation' } }}
        closeButtonProps={{ 'aria-label': 'Close menu' }}
      >
        <Sidebar withAccount />
      </Drawer>
    </div>
  )
}

/**
 * Whether header and banners have loaded or failed. Until then the page is hidden, for 1.5 s at most, to avoid layout
 * shifts; its queries already run.
 */
function useIsFrameReady(): boolean {
  const wasComplete = useRef(false)
  const waits = [
    useQuery({ ...meQuery, notifyOnChangeProps: ['isLoading'] }).isLoading,
    useQuery({ ...instanceQuery, notifyOnChangeProps: ['isLoading'] }).isLoading,
    useQuery({ ...subscriptionQuery, enabled: false }).isLoading,
    useQuery({ ...connectionQuery, enabled: false }).isLoading,
    useStoreHealth().isLoading,
  ]
  wasComplete.current ||= !waits.includes(true)
  return wasComplete.current
}

const SendingPausedBanner = lazy(() => import('./menus.ts').then((module) => ({ default: module.SendingPausedBanner })))

const ViewBanner = lazy(async () => ({ default: (await import('../../kits/page/ViewBanner.tsx')).ViewBanner }))

const ConcernBanner = lazy(async () => ({
  default: (await import('../../features/billing/ConcernBanner.tsx')).ConcernBanner,
}))

const DemoStrip = lazy(async () => ({ default: (await import('./menus.ts')).DemoStrip }))

/** App-wide notices, most serious first. */
function Banners() {
  const isReachable = useIsReachable()
  const instance = useInstance()
  const user = useMe()
  const pause = useSendingPause().data?.pause
  return (
    <section aria-label="Notices">
      {!isReachable && <UnreachableBanner />}
      {user?.viewedUntil && (
        <Suspense>
          <ViewBanner />
        </Suspense>
      )}
      {instance?.isPaused && <PausedBanner reason={instance.pausedReason} mayConfirm={instance.mayConfirm} />}
      {pause && (
        <Banner tone="bad" icon={<IconPlayerPause size={18} aria-hidden />}>
          <Suspense>
            <SendingPausedBanner {...pause} />
          </Suspense>
        </Banner>
      )}
      <BillingBanners />
      {user && !user.isEmailConfirmed && <VerifyBanner email={user.email} />}
      {user?.isDemo && (
        <div className="banner demo-strip tone-info">
          <Suspense>
            <DemoStrip />
          </Suspense>
        </div>
      )}
      {user && !user.isDemo && <MailBanner />}
    </section>
  )
}

function UnreachableBanner() {
  const queries = useQueryClient()
  return (
    <Banner tone="bad" icon={<IconAlertTriangle size={18} aria-hidden />} isAlert>
      <span className="grow">
        The Recoup server is not responding. This page may be out of date. Recoup retries every few seconds.
      </span>
      <Button size="compact-sm" variant="default" onClick={() => queries.refetchQueries({ type: 'active' })}>
        Retry
      </Button>
    </Banner>
  )
}

function PausedBanner({ reason, mayConfirm }: { reason: string | null; mayConfirm: boolean }) {
  const [isAsking, setAsking] = useState(false)
  const confirm = useConfirmLive()
  return (
    <Banner tone="warn" icon={<IconPlayerPause size={18} aria-hidden />}>
      <span className="grow">
        <strong>Sending is paused.</strong> {reason ?? 'This looks like a copy of another installation.'}
        {!mayConfirm &&
          ' To confirm, sign in with an address listed in OPERATOR_EMAILS, or run npm run confirm-live on the server.'}
      </span>
      {mayConfirm && (
        <Button size="compact-sm" variant="default" onClick={() => setAsking(true)}>
          This is the live installation
        </Button>
      )}
      <Confirm
        opened={isAsking}
        title="Is this the live installation?"
        confirmLabel="This is the live installation"
        isBusy={confirm.isPending}
        problem={confirm.error?.message}
        onConfirm={() =>
          confirm.mutate(undefined, {
            onSuccess: () => {
              setAsking(false)
              announce('Sending resumed')
            },
          })
        }
        onClose={() => setAsking(false)}
      >
        If the original installation is still running, both would message the same shoppers. Confirm only if the other
        one is permanently switched off.
      </Confirm>
    </Banner>
  )
}

const concernIcons = { suspended: IconBan, overdue: IconAlertTriangle, trial: IconClock, resting: IconZzz }

function BillingBanners() {
  const subscription = useSubscription()
  const { isAll } = useScope()
  const isResting = useStore()?.isResting === true && !isAll
  const concerns = subscription ? findConcerns(subscription, Date.now(), isResting) : []
  return concerns.map(({ kind, tone }) => {
    const Sign = concernIcons[kind]
    return (
      <Banner key={kind} tone={tone} icon={<Sign size={18} aria-hidden />}>
        <Suspense>
          <ConcernBanner kind={kind} />
        </Suspense>
      </Banner>
    )
  })
}

/** Where the confirmation link was sent: to the address, to this server's test mailbox, or nowhere. */
function VerifyBanner({ email }: { email: string }) {
  const resend = useResendVerification()
  const instance = useInstance()
  const hasMailbox = instance?.mail === 'mailbox'
  if (instance?.mail === 'none') {
    return (
      <Banner tone="warn" icon={<IconMailOff size={18} aria-hidden />}>
        <span className="grow">
          <strong>Your email address is not confirmed.</strong> This server has no mail server of its own, so there is
          no confirmation link. Ask its administrator: {instance.supportEmail}.
        </span>
      </Banner>
    )
  }
  return (
    <Banner tone="warn" icon={<IconMail size={18} aria-hidden />}>
      <span className="grow">
        <strong>Confirm your email address.</strong> We have sent a link to{' '}
        {hasMailbox ? 'this server’s built-in mailbox' : email}. Until you open it, our mail server sends nothing for
        your account.
      </span>
      {hasMailbox && instance.mailboxUrl && (
        <a href={instance.mailboxUrl} target="_blank" rel="noreferrer">
          Mailbox
        </a>
      )}
      <Button
        size="compact-sm"
        variant="default"
        loading={resend.isPending}
        onClick={() =>
          resend.mutate(undefined, {
            onSuccess: ({ message }) => announce(message),
            onError: (error) => announce(error.message, 'bad'),
          })
        }
      >
        Send link again
      </Button>
    </Banner>
  )
}

/** Where mail goes without a mail server. */
function MailBanner() {
  const mail = useMailServer().data
  const mayChange = useHasPermission('flows:switch')
  // Without a store there is no set-up screen to link.
  const hasStore = useStore() !== null
  if (!mail || mail.way === 'own' || mail.way === 'server') return null
  const setUp = mayChange && hasStore && <Link to="/settings/sending/mail-server">Set up a mail server</Link>
  if (mail.way === 'none') {
    return (
      <Banner tone="warn" icon={<IconMailOff size={18} aria-hidden />}>
        <span className="grow">
          <strong>No email is sent.</strong> No mail server is set up.
        </span>
        {setUp}
      </Banner>
    )
  }
  return (
    <Banner tone="info" icon={<IconInbox size={18} aria-hidden />}>
      <span className="grow">
        <strong>Email stays on this server.</strong> Emails go to the built-in mailbox, not to your shoppers.
      </span>
      {mail.mailboxUrl && (
        <a href={mail.mailboxUrl} target="_blank" rel="noreferrer">
          Mailbox
        </a>
      )}
      {setUp}
    </Banner>
  )
}

interface BannerProps {
  tone: Tone
  icon: ReactNode
  isAlert?: boolean
  children: ReactNode
}

function Banner({ tone, icon, isAlert, children }: BannerProps) {
  return (
    <div className={`banner tone-${tone}`} {...(isAlert && { role: 'alert' })}>
      {icon}
      {children}
    </div>
  )
}

interface Props {
  section: (typeof sections)[number]
  isMenuOpen: boolean
  onMenu: () => void
}

function Header({ section, isMenuOpen, onMenu }: Props) {
  return (
    <>
      <div className="header-start">
        <Burger
          opened={isMenuOpen}
          onClick={onMenu}
          className="narrow-only"
          size="sm"
          aria-label="Open menu"
          aria-expanded={isMenuOpen}
          aria-haspopup="dialog"
        />
        {section.path === '/dashboard' && <LogoMark size={26} />}
        <SectionTitle {...section} />
      </div>
      <div className="header-end">
        <StoreMark />
        <Bell />
        <span className="header-account">
          <SubscriptionButton />
          <AccountLinks className="header-link" />
          <AccountMark />
        </span>
      </div>
    </>
  )
}

/** The section's heading with its tabs; on a page below it, the link back. */
function SectionTitle({ path, title }: Props['section']) {
  const { pathname } = useLocation()
  const isItself = path === '/settings' || pathname.replace(/(?<!\/)\/+$/, '').toLowerCase() === path
  if (isItself) return <h1 className="header-title">{title}</h1>
  return (
    <Link to={path} className="header-back">
      <IconChevronLeft size={17} aria-hidden />
      {title}
    </Link>
  )
}
