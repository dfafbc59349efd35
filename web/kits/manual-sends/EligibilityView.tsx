import '../carts/carts.css'
import { Anchor, Group, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import type { CartView } from '../../../shared/carts/carts.ts'
import { MAX_CARTS, type SendChannel } from '../../../shared/delivery/reminders.ts'
import { Failed } from '../../core/ui/Failed.tsx'
import { formatCount, formatCounted, formatPrice } from '../../core/ui/format.ts'
import { LoadingList } from '../../core/ui/Loading.tsx'
import { Money } from '../../core/ui/Money.tsx'
import { Notice } from '../../core/ui/Notice.tsx'
import { DateTime } from '../../core/ui/Time.tsx'
import type { Eligibility, useEligibility } from './send-queries.ts'
import { channelText, type Selection } from './sending.ts'

const MAX_NAMES = 5

interface Props {
  channel: SendChannel
  selection: Selection
  eligibility: ReturnType<typeof useEligibility>
  /** Action for recipients who only have to wait (D11); enabled at once. */
  offerLater?: ((cartIds: string[], until: string) => ReactNode) | undefined
  /** Scheduled for later: the check describes now and promises nothing for then. */
  isScheduled: boolean
  /** The content has an error that blocks sending to eligible recipients. */
  isWrong: boolean
}

/** Shown before sending: recipients, exclusions with reasons, and cost. */
export function EligibilityView({ channel, selection, eligibility, offerLater, isScheduled, isWrong }: Props) {
  if (eligibility.isPending) return <LoadingList count={1} />
  if (!eligibility.data) {
    return (
      <Failed
        title="The recipients could not be checked"
        error={eligibility.error}
        onRetry={() => eligibility.refetch()}
      />
    )
  }
  const { eligible, total, reasons, price } = eligibility.data
  const carts = selection.kind === 'carts' ? selection.carts : []
  return (
    <Stack gap="sm">
      <Notice
        tone={eligible.length === 0 ? 'warn' : isWrong ? 'quiet' : 'good'}
        isLive
        title={
          total === 1 && eligible.length === 1 && (isWrong || isScheduled)
            ? isWrong
              ? 'Correct the text to send it'
              : 'Ready to schedule'
            : summarize(eligible.length, total, channel)
        }
      >
        {selection.kind === 'matching' && selection.count > MAX_CARTS && (
          <>At most {formatCount(MAX_CARTS)} carts get the message at a time: the newest that match.</>
        )}
        {eligible.length === 0 ? (
          <>This won’t be sent{price && ', and it costs nothing'}. Reason:</>
        ) : (
          price && <Price price={price} channel={channel} />
        )}
        {isScheduled && eligible.length > 0 && <>All checks run again when the message is due.</>}
      </Notice>
      {reasons.length > 0 && (
        <ul className="reasons" aria-label="Excluded, by reason">
          {reasons.map((reason) => (
            <li key={reason.reason}>
              <Group justify="space-between" wrap="nowrap" gap="sm" align="baseline">
                <Text fz="sm">
                  {(eligible.length > 0 && exclusionTexts[reason.reason]) || reason.explanation}
                  {reason.until && (
                    <>
                      {' '}
                      {reason.count > 1 ? 'Possible for all of them from' : 'Possible from'}{' '}
                      <DateTime at={reason.until} />.
                    </>
                  )}
                  <FixLink reason={reason.reason} />
                </Text>
                {total > 1 && (
                  <Text fz="sm" fw={600} className="tabular">
                    {formatCount(reason.count)}
                  </Text>
                )}
              </Group>
              {total > 1 && <NameList cartIds={reason.cartIds} carts={carts} />}
              {reason.until && offerLater?.(reason.cartIds, reason.until)}
            </li>
          ))}
        </ul>
      )}
    </Stack>
  )
}

/** The allowance the other recipients would need is not used up yet. */
const exclusionTexts: Record<string, string> = {
  plan_limit: 'The plan’s remaining messages for this month do not cover these.',
  budget: 'The remaining monthly budget for SMS and WhatsApp does not cover these.',
}

const fixLinks: Record<string, { to: string; text: string }> = {
  plan_limit: { to: '/pricing', text: 'See plans' },
  budget: { to: '/settings/sending/sms', text: 'Change the budget' },
  sender_missing: { to: '/settings/sending/sender', text: 'Enter them' },
  mail_not_configured: { to: '/settings/sending/mail-server', text: 'Set up a mail server' },
  mail_server_away: { to: '/settings/sending/mail-server', text: 'Open the mail server' },
  sms_not_configured: { to: '/settings/sending/sms', text: 'Open the settings' },
  whatsapp_not_configured: { to: '/settings/sending/whatsapp', text: 'Open the settings' },
  template_missing: { to: '/settings/sending/whatsapp', text: 'Choose a template' },
}

/** Link to where the owner can remove the blocker. */
export function FixLink({ reason }: { reason: string }) {
  const fixLink = fixLinks[reason]
  if (!fixLink) return null
  return (
    <>
      {' '}
      <Anchor component={Link} to={fixLink.to} inherit underline="always">
        {fixLink.text}
      </Anchor>
    </>
  )
}

function summarize(eligible: number, total: number, channel: SendChannel): string {
  if (total === 1) return eligible === 1 ? 'Ready to send' : 'Not ready to send'
  if (eligible === 0)
    return `None of the ${formatCounted(total, 'cart')} would get this ${channelText[channel]}${channel === 'email' ? '' : ' message'} now.`
  return `${formatCount(eligible)} of ${formatCounted(total, 'cart')} would get this ${channelText[channel]}${channel === 'email' ? '' : ' message'} now.`
}

function Price({ price, channel }: { price: NonNullable<Eligibility['price']>; channel: SendChannel }) {
  const { total, segments, budgetLeft } = price
  return (
    <span className="tabular" data-price>
      Price: {formatPrice(total.amount, total.currency)}
      {channel === 'sms' && segments > 0 && <> for {formatCounted(segments, 'segment')}</>}.
      {budgetLeft && (
        <>
          {' '}
          Remaining budget this month: <Money {...budgetLeft} />.
        </>
      )}
    </span>
  )
}

function NameList({ cartIds, carts }: { cartIds: string[]; carts: CartView[] }) {
  const names = carts.filter(({ id }) => cartIds.includes(id)).map((cart) => cart.customer_name)
  if (names.length === 0) return null
  const rest = names.length - MAX_NAMES
  return (
    <Text fz="xs" c="dimmed">
      {names.slice(0, MAX_NAMES).join(', ')}
      {rest > 0 && ` and ${rest} more`}
    </Text>
  )
}
