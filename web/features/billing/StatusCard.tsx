import { Button, Card, Group, Text } from '@mantine/core'
import { IconCheck } from '@tabler/icons-react'
import { useRef, useState } from 'react'
import { Link, useSearchParams } from 'react-router'
import { plans } from '../../../shared/billing/billing.ts'
import { billingTexts } from '../../../shared/billing/billing-texts.ts'
import type { SubscriptionDetail } from '../../../shared/billing/payments.ts'
import { useInstance } from '../../core/access/queries.ts'
import { announce } from '../../core/ui/announce.ts'
import { Facts } from '../../core/ui/Facts.tsx'
import { Notice } from '../../core/ui/Notice.tsx'
import { CancelDialog } from './CancelDialog.tsx'
import { CurrentPlan } from './CurrentPlan.tsx'
import { listFacts, type SubscriptionActions } from './detail-copy.ts'
import { getFailureText } from './failure.ts'
import { useOpenPortal, useReactivate } from './payment-queries.ts'
import { findPaidEnd, formatOnDay } from './pricing-rules.ts'
import type { Overview } from './queries.ts'
import { listInheritedFeatures } from './rules.ts'

interface Props {
  detail: SubscriptionDetail
  subscription: Overview['subscription']
  actions: SubscriptionActions
}

/** The plan, its cost and end date, and the actions (A 2.7, A 4.3). */
export function StatusCard({ detail, subscription, actions }: Props) {
  const all = listFacts(detail, subscription)
  const price = all.find(([name]) => name === 'Price')?.[1]
  const facts = all.filter(([name]) => name !== 'Price')
  return (
    <Card h="100%">
      <CurrentPlan subscription={subscription} />
      {price && (
        <p className="plan-fact">
          Price <b data-long={price.length > 20 || undefined}>{price}</b>
        </p>
      )}
      {facts.length > 0 && (
        <div style={{ marginTop: 'var(--mantine-spacing-md)' }}>
          <Facts entries={facts} />
        </div>
      )}
      <ul className="plan-includes" aria-label={`Included in ${plans[detail.plan].name}`}>
        {[...listInheritedFeatures(detail.plan), ...plans[detail.plan].features].map((feature) => (
          <li key={feature}>
            <IconCheck size={16} aria-hidden />
            {feature}
          </li>
        ))}
      </ul>
      {actions.advice && <Text mt="md">{actions.advice}</Text>}
      {actions.because && <MissingActionsNote text={actions.because} isWithSupport={subscription.sells === 'none'} />}
      <Actions detail={detail} subscription={subscription} actions={actions} />
    </Card>
  )
}

function MissingActionsNote({ text, isWithSupport }: { text: string; isWithSupport: boolean }) {
  const support = useInstance()?.supportEmail
  return (
    <Text fz="sm" c="dimmed" mt="md">
      {text}
      {isWithSupport && support && (
        <>
          {' '}
          Contact <a href={`mailto:${support}?subject=Our plan`}>{support}</a> to change it.
        </>
      )}
    </Text>
  )
}

function Actions({ detail, subscription, actions }: Props) {
  const [, setSearch] = useSearchParams()
  const [isCanceling, setCanceling] = useState(false)
  const actionsBox = useRef<HTMLDivElement>(null)
  const portal = useOpenPortal()
  const back = useReactivate()
  const { name } = plans[detail.plan]
  const takeBack = () => {
    portal.reset()
    back.mutate(undefined, {
      onSuccess: ({ message }) => {
        announce(message)
        // The pressed button may be gone, so move the focus.
        actionsBox.current?.focus()
      },
    })
  }
  const problem =
    getFailureText(portal.error, billingTexts.failed.openPortal) ??
    getFailureText(back.error, billingTexts.failed.reactivate)
  const change = () => setSearch({ change: detail.plan, cycle: detail.billingCycle ?? 'month' })
  return (
    <>
      <Group gap="sm" mt="lg" ref={actionsBox} tabIndex={-1} className="billing-deeds">
        {actions.canReactivate && (
          <Button loading={back.isPending} onClick={takeBack}>
            Reactivate
          </Button>
        )}
        {actions.canKeep && (
          <Button loading={back.isPending} onClick={takeBack}>
            Keep {name}
          </Button>
        )}
        {actions.change === 'here' && <Button onClick={change}>Change plan</Button>}
        {actions.change === 'pricing' && (
          <Button component={Link} to="/pricing">
            Change plan
          </Button>
        )}
        {actions.canManage && (
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
        {actions.canCancel && (
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
        onCanceled={() => actionsBox.current?.focus()}
      />
    </>
  )
}
