import { Button, Card, Group, Text } from '@mantine/core'
import { useRef, useState } from 'react'
import { Link, useSearchParams } from 'react-router'
import { plans } from '../../shared/billing.ts'
import { billingTexts } from '../../shared/billing-texts.ts'
import type { SubscriptionDetail } from '../../shared/payments.ts'
import { useInstance } from '../access/queries.ts'
import { announce } from '../ui/announce.ts'
import { Facts } from '../ui/Facts.tsx'
import { Notice } from '../ui/Notice.tsx'
import { CancelDialog } from './CancelDialog.tsx'
import { CurrentPlan } from './CurrentPlan.tsx'
import { listFacts, type SubscriptionActions } from './detail-copy.ts'
import { getFailureText } from './failure.ts'
import { useOpenPortal, useReactivate } from './payment-queries.ts'
import { findPaidEnd, formatOnDay } from './pricing-rules.ts'
import type { Overview } from './queries.ts'

interface Props {
  detail: SubscriptionDetail
  subscription: Overview['subscription']
  deeds: SubscriptionActions
}

/** The plan, its cost and end date, and the actions (A 2.7, A 4.3). */
export function StatusCard({ detail, subscription, deeds }: Props) {
  return (
    <Card h="100%">
      <CurrentPlan subscription={subscription} />
      <div style={{ marginTop: 'var(--mantine-spacing-md)' }}>
        <Facts entries={listFacts(detail, subscription)} />
      </div>
      {deeds.advice && <Text mt="md">{deeds.advice}</Text>}
      {deeds.because && <MissingActionsNote words={deeds.because} isWithSupport={subscription.sells === 'none'} />}
      <Actions detail={detail} subscription={subscription} deeds={deeds} />
    </Card>
  )
}

function MissingActionsNote({ words, isWithSupport }: { words: string; isWithSupport: boolean }) {
  const support = useInstance()?.supportEmail
  return (
    <Text fz="sm" c="dimmed" mt="md">
      {words}
      {isWithSupport && support && (
        <>
          {' '}
          Write to <a href={`mailto:${support}?subject=Our plan`}>{support}</a> for another one.
        </>
      )}
    </Text>
  )
}

function Actions({ detail, subscription, deeds }: Props) {
  const [, setSearch] = useSearchParams()
  const [isCanceling, setCanceling] = useState(false)
  const deedsBox = useRef<HTMLDivElement>(null)
  const portal = useOpenPortal()
  const back = useReactivate()
  const { name } = plans[detail.plan]
  const takeBack = () => {
    portal.reset()
    back.mutate(undefined, {
      onSuccess: ({ message }) => {
        announce(message)
        // The pressed button may be gone, so move the focus.
        deedsBox.current?.focus()
      },
    })
  }
  const problem =
    getFailureText(portal.error, billingTexts.failed.openPortal) ??
    getFailureText(back.error, billingTexts.failed.reactivate)
  const change = () => setSearch({ change: detail.plan, cycle: detail.billingCycle ?? 'month' })
  return (
    <>
      <Group gap="sm" mt="lg" ref={deedsBox} tabIndex={-1} className="billing-deeds">
        {deeds.canReactivate && (
          <Button loading={back.isPending} onClick={takeBack}>
            Reactivate
          </Button>
        )}
        {deeds.canKeep && (
          <Button loading={back.isPending} onClick={takeBack}>
            Keep {name}
          </Button>
        )}
        {deeds.change === 'here' && (
          <Button variant="default" onClick={change}>
            Change plan
          </Button>
        )}
        {deeds.change === 'pricing' && (
          <Button variant="default" component={Link} to="/pricing">
            Change plan
          </Button>
        )}
        {deeds.canManage && (
          // The browser leaves the page once the address arrives.
          <Button
            variant="default"
            loading={portal.isPending || portal.isSuccess}
            onClick={() => {
              back.reset()
              portal.mutate()
            }}
          >
            {billingTexts.manage}
          </Button>
        )}
        {deeds.canCancel && (
          <Button variant="default" onClick={() => setCanceling(true)}>
            Cancel subscription
          </Button>
        )}
      </Group>
      {problem && (
        <div style={{ marginTop: 'var(--mantine-spacing-md)' }}>
          <Notice tone="bad" isLive>
            {problem}
          </Notice>
        </div>
      )}
      <CancelDialog
        opened={isCanceling}
        plan={detail.plan}
        end={formatOnDay(findPaidEnd(subscription))}
        onClose={() => setCanceling(false)}
        onCanceled={() => deedsBox.current?.focus()}
      />
    </>
  )
}
