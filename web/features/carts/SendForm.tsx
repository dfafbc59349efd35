import { Anchor, Button, Checkbox, Group, SegmentedControl, Skeleton, Stack, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type RefObject, useRef, useState } from 'react'
import type { z } from 'zod'
import {
  lastMessage,
  reminderTexts,
  scheduleReminder,
  sendEmail,
  sendSms,
  sendToCarts,
  sendWhatsapp,
  sendWhatsappBulk,
} from '../../../shared/delivery/reminders.ts'
import { isDesigned, type MailDocument } from '../../../shared/messages/mail-document.ts'
import { useDraft } from '../../core/access/drafts.ts'
import { useStore } from '../../core/access/queries.ts'
import { BROKEN, call, getErrorText as textOfError } from '../../core/api/api.ts'
import { announce } from '../../core/ui/announce.ts'
import { Failed } from '../../core/ui/Failed.tsx'
import { formatCount, formatCounted } from '../../core/ui/format.ts'
import { LoadingList } from '../../core/ui/Loading.tsx'
import { Notice } from '../../core/ui/Notice.tsx'
import { TimeAgo } from '../../core/ui/Time.tsx'
import { formatDateTime } from '../../core/ui/times.ts'
import { MailDesign } from '../../kits/mail-editor/MailDesign.tsx'
import { findMailProblems } from '../../kits/mail-editor/problems.ts'
import { EligibilityView } from '../../kits/manual-sends/EligibilityView.tsx'
import { buildSelectionKey, useEligibility, useOnce, useRefresh } from '../../kits/manual-sends/send-queries.ts'
import {
  channelNames,
  defaultSchedule,
  describeRecipient,
  findErrorField,
  lastChannels,
  lastOutcomes,
  type MessageText,
  parseDelay,
  type Schedule,
} from '../../kits/manual-sends/sending.ts'
import { TYPING_PAUSE_MS } from '../../kits/message-editor/rules.ts'
import { WordEditor } from '../../kits/message-editor/WordEditor.tsx'
import { ConfirmToSend } from '../stores/ConfirmToSend.tsx'
import { ScheduleFields } from './ScheduleFields.tsx'
import { SendMessage } from './SendMessage.tsx'
import type { Ask } from './useSendDialog.tsx'
import { type MessagePreview, useMessagePreviewState } from './useShownMessage.ts'

interface Props {
  ask: Ask
  onClose: () => void
  onJob: (jobId: string) => void
}

/** Input that a user would not want to repeat. */
interface FormValues {
  when: Ask['when']
  schedule: Schedule
  content: MessageText
}

/** Steps: recipients, content, time, send. */
export function SendForm({ ask, onClose, onJob }: Props) {
  const { channel, selection } = ask
  const isSingle = selection.kind === 'carts' && selection.carts.length === 1
  const one = isSingle && !ask.isBulk ? selection.carts[0]! : null
  const { typed, change } = useTyped(ask)
  const { when, schedule, content } = typed
  const [isDateChecked, setDateChecked] = useState(false)
  const dateField = useRef<HTMLInputElement>(null)
  const [isOverride, setOverride] = useState(false)
  const message = useDebounced(channel, content)
  const eligibility = useEligibility(channel, selection, channel === 'sms' ? message.body : undefined)
  const query = useMessagePreviewState({
    ask,
    eligibility: eligibility.data ?? (eligibility.error ? null : undefined),
    message,
    isTyping: !isSameContent(message, getErrorText(channel, content)),
  })
  const problems = query.problem ? { [findErrorField(query.problem)]: query.problem } : {}
  // Errors in the default content also block sending; the server reports them.
  const isOwn = channel === 'email' && isDesigned(content.design)
  const isWrong = isOwn
    ? findMailProblems(content.design!).length > 0
    : Boolean(query.problem && (message.body || problems.subject))
  const { sendOne, sendMany, isBusy, error } = useSending()
  const store = useStore()

  const delay = when === 'schedule' ? parseDelay(schedule, Date.now()) : null
  const held = isSingle && eligibility.data?.reasons.find(({ mayOverride }) => mayOverride)
  const later = eligibility.data?.reasons.flatMap(({ until, cartIds }) => (until ? cartIds : [])) ?? []
  // Temporary blockers may have passed by the time a scheduled message is decided.
  const cartIds = eligibility.data
    ? [...eligibility.data.eligible, ...(when === 'schedule' ? later : []), ...(isOverride && held ? held.cartIds : [])]
    : []
  const about = { ...(store && { storeUrl: store.store_url }), ...(isOverride && { overrideHoldout: true }) }
  const errorText = getErrorText(channel, content)

  const { design, ...text } = content
  const changeContent = (next: Partial<MessageText>) => change({ content: { ...text, ...next } })

  const sendToOne = async (message: SingleMessage) => {
    const { message: answer } = await sendOne.mutateAsync(message)
    announce(answer)
    onClose()
  }
  const sendToMany = async (ids: string[], sendAt?: string) => {
    const { overrideHoldout, ...rest } = { ...about, overrideHoldout: isOverride }
    const body = { channel, cartIds: ids, ...errorText, ...rest, ...(sendAt && { sendAt }), overrideHoldout }
    onJob((await sendMany.mutateAsync(body)).jobId)
  }
  const submit = () => {
    if (when === 'schedule' && !delay) {
      setDateChecked(true)
      dateField.current?.focus()
      return
    }
    const work = one ? sendToOne(buildMessage()) : sendToMany(cartIds, formatSendTime(delay))
    // Errors are shown in the dialog.
    work.catch(() => {})
  }
  // Temporarily blocked messages can be sent as soon as allowed (D11): offered, never automatic.
  const offerLater = (ids: string[], until: string) => (
    <Button
      variant="default"
      size="compact-sm"
      mt={6}
      disabled={isBusy}
      onClick={() => sendToMany(ids, until).catch(() => {})}
    >
      Send {ids.length === 1 ? 'it' : `these ${formatCount(ids.length)}`} at {formatDateTime(until)}
    </Button>
  )
  const buildMessage = (): SingleMessage => {
    const cart = one!
    if (delay) {
      const platform = store ? { platform: store.platform } : {}
      return {
        kind: 'schedule',
        body: { cartId: cart.id, ...platform, ...about, ...delay, reminderType: 'first', ...errorText },
      }
    }
    if (channel === 'email')
      return { kind: 'email', body: { to: cart.customer_email ?? '', cart_id: cart.id, ...errorText, ...about } }
    if (channel === 'sms') return { kind: 'sms', body: { cartId: cart.id, ...errorText, ...about } }
    return { kind: 'whatsapp', body: { cartId: cart.id, ...about } }
  }

  return (
    <Stack gap="md">
      {channel === 'email' && <ConfirmToSend what="send messages" />}
      {one && <Text fw={600}>{describeRecipient(one)}</Text>}
      <WordEditor
        layout="dialog"
        channel={channel}
        words={{ subject: content.subject, body: content.body ?? query.ready ?? '' }}
        problems={{ ...problems, ...(content.body?.trim() === '' && { body: 'Enter a message' }) }}
        comesAlong={{
          isOwn: content.body !== null,
          missing: content.body === null && query.ready === undefined && <NoText query={query} />,
          ...(channel === 'sms' && { note: '“Reply STOP to opt out.” is added if the text does not contain it.' }),
          onReset: () => changeContent({ body: null }),
        }}
        onWords={changeContent}
        design={{
          isOwn,
          link: (
            <MailDesign
              title="Email reminder"
              design={design ?? query.query.data?.words?.design}
              text={{ subject: content.subject, body: content.body ?? query.ready ?? '' }}
              onChange={(next) => change({ content: { ...text, design: next } })}
              onText={() => changeContent({})}
            />
          ),
        }}
        before={
          <>
            {isSingle && <LastMessage cartId={selection.carts[0]!.id} />}
            <EligibilityView
              channel={channel}
              selection={selection}
              eligibility={eligibility}
              offerLater={when === 'now' ? offerLater : undefined}
              isScheduled={when === 'schedule'}
              isWrong={isWrong}
            />
            {held && (
              <Checkbox
                label="Send anyway. The shopper stays in the control group, and the report shows the exception."
                checked={isOverride}
                onChange={(event) => setOverride(event.currentTarget.checked)}
              />
            )}
            {channel === 'email' && (
              <SendTimeFields
                typed={typed}
                error={isDateChecked && !delay ? reminderTexts.badDate : null}
                dateRef={dateField}
                onChange={change}
              />
            )}
          </>
        }
        preview={<SendMessage channel={channel} selection={selection} preview={query} onChange={changeContent} />}
      />
      <Stack gap="sm" className="send-foot">
        {error && (
          <Notice tone="bad" isLive>
            {describeFailure(ask, one !== null, textOfError(error, BROKEN))}
          </Notice>
        )}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button
            loading={isBusy}
            disabled={cartIds.length === 0 || isWrong || (!isOwn && content.body?.trim() === '')}
            onClick={submit}
          >
            {getLabel(when, one ? null : cartIds.length)}
          </Button>
        </Group>
        <span className="visually-hidden" role="status">
          {isBusy ? 'Sending…' : ''}
        </span>
      </Stack>
    </Stack>
  )
}

interface WhenProps {
  typed: FormValues
  error: string | null
  dateRef: RefObject<HTMLInputElement | null>
  onChange: (next: Partial<FormValues>) => void
}

function SendTimeFields({ typed: { when, schedule }, error, dateRef, onChange }: WhenProps) {
  return (
    <>
      <SegmentedControl
        aria-label="When to send"
        value={when}
        onChange={(value) => onChange({ when: value as Ask['when'] })}
        data={[
          { value: 'now', label: 'Send Now' },
          { value: 'schedule', label: 'Schedule' },
        ]}
      />
      {when === 'schedule' && (
        <ScheduleFields
          value={schedule}
          error={error}
          dateRef={dateRef}
          onChange={(next) => onChange({ schedule: next })}
        />
      )}
    </>
  )
}

/** The default content is still loading or failed to load. */
function NoText({ query: { query } }: { query: MessagePreview }) {
  if (!query.error) return <LoadingList count={2} />
  return <Failed title="The text could not be loaded" error={query.error} onRetry={() => query.refetch()} />
}

/** Restored after a session expires, for the same carts and channel. */
function useTyped({ channel, selection, when }: Ask) {
  const [changed, setChanged] = useState<FormValues | null>(null)
  const typed = changed ?? { when, schedule: defaultSchedule, content: { subject: reminderTexts.subject, body: null } }
  const storeId = useStore()?.id
  useDraft(`send:${storeId}:${channel}:${buildSelectionKey(selection).join()}`, changed, setChanged)
  return { typed, change: (next: Partial<FormValues>) => setChanged({ ...typed, ...next }) }
}

function useSending() {
  const sendOne = useSendOne()
  const sendMany = useSendMany()
  return {
    sendOne,
    sendMany,
    isBusy: sendOne.isPending || sendMany.isPending,
    error: sendOne.error ?? sendMany.error,
  }
}

/** Server checks while typing, debounced for the content. */
function useDebounced(channel: Ask['channel'], content: MessageText) {
  const [paused] = useDebouncedValue(content, TYPING_PAUSE_MS)
  return getErrorText(channel, paused)
}

/** WhatsApp has its own templates; an SMS has no subject. */
function getErrorText(
  channel: Ask['channel'],
  { subject, body, design }: MessageText,
): { subject?: string; body?: string; design?: MailDocument } {
  if (channel === 'whatsapp') return {}
  if (channel === 'email' && isDesigned(design)) return { design }
  const own = body?.trim() ? { body } : {}
  return channel === 'email' ? { subject: subject.trim() || reminderTexts.subject, ...own } : own
}

const isSameContent = (a: ReturnType<typeof getErrorText>, b: ReturnType<typeof getErrorText>) =>
  a.subject === b.subject && a.body === b.body && a.design === b.design

const formatSendTime = (delay: ReturnType<typeof parseDelay>) =>
  delay ? (delay.sendAt ?? new Date(Date.now() + delay.delayHours * 3_600_000).toISOString()) : undefined

function getLabel(when: Ask['when'], count: number | null): string {
  if (count === null) return when === 'schedule' ? 'Schedule' : 'Send Now'
  return `${when === 'schedule' ? 'Schedule for' : 'Send to'} ${formatCounted(count, 'cart')}`
}

/** The alerts of B 8. */
function describeFailure({ channel }: Ask, isOne: boolean, message: string): string {
  if (channel === 'email') return `Failed: ${message}`
  if (channel === 'whatsapp' && !isOne) return `Failed to send bulk WhatsApp: ${message}`
  return `Failed to send ${channelNames[channel]}: ${message}`
}

/** The shopper's last message, so that members do not message twice unknowingly. */
function LastMessage({ cartId }: { cartId: string }) {
  const last = useLastMessage(cartId)
  if (last.isPending) return <Skeleton h={18} w="70%" role="status" aria-label="Loading the last message" />
  if (!last.data) {
    return (
      <Text fz="sm" c="dimmed">
        The last message could not be loaded.{' '}
        <Anchor component="button" type="button" inherit underline="always" onClick={() => last.refetch()}>
          Retry
        </Anchor>
      </Text>
    )
  }
  const { message } = last.data
  return (
    <Text fz="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
      {message ? (
        <>
          Last message: {lastChannels[message.channel]}, <TimeAgo at={message.at} />
          {message.subject && `, “${message.subject}”`}, {lastOutcomes[message.outcome]}
        </>
      ) : (
        'Last message: none has been sent to this shopper yet.'
      )}
    </Text>
  )
}

type FieldProps<E extends { body: z.ZodType }> = z.input<E['body']>

type SingleMessage =
  | { kind: 'email'; body: FieldProps<typeof sendEmail> }
  | { kind: 'schedule'; body: FieldProps<typeof scheduleReminder> }
  | { kind: 'sms'; body: FieldProps<typeof sendSms> }
  | { kind: 'whatsapp'; body: FieldProps<typeof sendWhatsapp> }

/** Sends one message to one cart. After any single send the list is refetched (B 4). */
function useSendOne() {
  const refresh = useRefresh()
  const once = useOnce()
  return useMutation({
    mutationFn: (message: SingleMessage) =>
      once(message, (how) => {
        if (message.kind === 'email') return call(sendEmail, { body: message.body, ...how })
        if (message.kind === 'schedule') return call(scheduleReminder, { body: message.body, ...how })
        if (message.kind === 'sms') return call(sendSms, { body: message.body, ...how })
        return call(sendWhatsapp, { body: message.body, ...how })
      }),
    onSettled: refresh,
  })
}

/** Sends to many carts as a job. WhatsApp uses the specification's own endpoint with the same result. */
function useSendMany() {
  const refresh = useRefresh()
  const once = useOnce()
  return useMutation({
    mutationFn: ({ storeUrl, ...body }: FieldProps<typeof sendToCarts> & { storeUrl?: string }) =>
      once<{ jobId: string }>(body, (how) => {
        if (body.channel !== 'whatsapp' || body.sendAt) return call(sendToCarts, { body, ...how })
        return call(sendWhatsappBulk, { body: { cartIds: body.cartIds, ...(storeUrl && { storeUrl }) }, ...how })
      }),
    onSettled: refresh,
  })
}

function useLastMessage(cartId: string) {
  const storeId = useStore()?.id
  return useQuery({
    queryKey: ['last-message', storeId, cartId],
    queryFn: ({ signal }) => call(lastMessage, { params: { id: cartId }, signal }),
    gcTime: 0,
    staleTime: 0,
  })
}
