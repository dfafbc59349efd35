import { Button } from '@mantine/core'
import { IconAlertTriangle, IconPlayerPause, IconSparkles } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useInstance, useMay, useMe } from '../access/queries.ts'
import { useReachable } from '../api.ts'
import { announce } from '../ui/announce.ts'
import { Confirm } from '../ui/Confirm.tsx'
import type { Tone } from '../ui/Notice.tsx'
import { useConfirmLive, useResetDemo } from './queries.ts'

/** What is true of the whole app right now, most serious first. */
export function Banners() {
  const isReachable = useReachable()
  const instance = useInstance()
  const user = useMe()
  return (
    <section aria-label="Notices">
      {!isReachable && <UnreachableBanner />}
      {instance?.isPaused && <PausedBanner reason={instance.pausedReason} />}
      {user?.isDemo && <DemoBanner {...instance} />}
    </section>
  )
}

function UnreachableBanner() {
  const queries = useQueryClient()
  return (
    <Banner tone="bad" icon={<IconAlertTriangle size={18} aria-hidden />} isAlert>
      <span className="grow">
        Recoup’s server does not answer. You are still signed in; what you see may be out of date.
      </span>
      <Button size="compact-sm" variant="default" onClick={() => queries.refetchQueries({ type: 'active' })}>
        Retry
      </Button>
    </Banner>
  )
}

function PausedBanner({ reason }: { reason: string | null }) {
  const [isAsking, setAsking] = useState(false)
  const confirm = useConfirmLive()
  const mayConfirm = useMay('instance:confirm')
  return (
    <Banner tone="warn" icon={<IconPlayerPause size={18} aria-hidden />}>
      <span className="grow">
        <strong>Sending is paused.</strong> {reason ?? 'This looks like a copy of another installation.'}
      </span>
      {mayConfirm && (
        <Button size="compact-sm" variant="default" onClick={() => setAsking(true)}>
          This is the live one
        </Button>
      )}
      <Confirm
        opened={isAsking}
        title="Is this the live one?"
        confirmLabel="This is the live one"
        isBusy={confirm.isPending}
        problem={confirm.error?.message}
        onConfirm={() =>
          confirm.mutate(undefined, {
            onSuccess: () => {
              setAsking(false)
              announce('Sending goes on')
            },
          })
        }
        onClose={() => setAsking(false)}
      >
        If the original of this installation is still running, both would write to the same shoppers. Confirm only if
        the other one is switched off for good.
      </Confirm>
    </Banner>
  )
}

interface DemoProps {
  demoStoreUrl?: string | null
  mailboxUrl?: string | null
  phoneUrl?: string | null
}

function DemoBanner({ demoStoreUrl: storeUrl, mailboxUrl, phoneUrl }: DemoProps) {
  const [isAsking, setAsking] = useState(false)
  const reset = useResetDemo()
  return (
    <Banner tone="info" icon={<IconSparkles size={18} aria-hidden />}>
      <span className="grow">
        <strong>You are in the live demo.</strong> Messages go after 1, 3 and 5 minutes, into its own mailbox and phones
        only.
      </span>
      {storeUrl && (
        <a href={storeUrl} target="_blank" rel="noreferrer">
          Demo store
        </a>
      )}
      {mailboxUrl && (
        <a href={mailboxUrl} target="_blank" rel="noreferrer">
          Mailbox
        </a>
      )}
      {phoneUrl && (
        <a href={phoneUrl} target="_blank" rel="noreferrer">
          Phones
        </a>
      )}
      <Button size="compact-sm" variant="default" onClick={() => setAsking(true)}>
        Reset demo
      </Button>
      <Confirm
        opened={isAsking}
        title="Reset the demo?"
        confirmLabel="Reset demo"
        isBusy={reset.isPending}
        problem={reset.error?.message}
        onConfirm={() =>
          reset.mutate(undefined, {
            onSuccess: ({ message }) => {
              setAsking(false)
              announce(message)
            },
          })
        }
        onClose={() => setAsking(false)}
      >
        Carts, messages and flows of the demo go back to their first state, for everyone looking at it.
      </Confirm>
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
